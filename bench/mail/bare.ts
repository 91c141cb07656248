import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BODY } from './job.ts'

/** The floor: one transaction that stores a message and changes the row of its receiver. */
export function openBare(folder: string) {
  const db = new DatabaseSync(join(folder, 'bare.db'))
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = normal;
    create table sessions (id text primary key, next_mail integer not null, wanted_at integer) without rowid;
    create table mail (id text primary key, session_id text not null, position integer not null, content text not null);
    insert into sessions values ('one', 1, null)`)
  const insert = db.prepare('insert into mail (id, session_id, position, content) values (?, ?, ?, ?)')
  const update = db.prepare('update sessions set next_mail = ?, wanted_at = ? where id = ?')
  let sent = 0
  return {
    deliver(): number {
      const began = performance.now()
      sent += 1
      db.exec('begin immediate')
      insert.run(`mail_${sent}`, 'one', sent, BODY)
      update.run(sent + 1, Date.now(), 'one')
      db.exec('commit')
      return performance.now() - began
    },
    close: () => db.close(),
  }
}
