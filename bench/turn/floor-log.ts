import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The cheapest way to make a conversation durable: one append per message. */
export interface FloorLog<M> {
  append(talk: string, role: string, message: M): void
  load(talk: string): M[]
  stored(talk: string): { role: string; body: string }[]
  bytes(): number
  close(): void
}

export function openFloorLog<M>(folder: string): FloorLog<M> {
  const db = new DatabaseSync(join(folder, 'floor.db'))
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = normal;
    create table messages (id integer primary key, talk text not null, role text not null, body text not null);
    create index messages_talk on messages (talk, id);`)
  const insert = db.prepare('insert into messages (talk, role, body) values (?, ?, ?)')
  const select = db.prepare('select role, body from messages where talk = ? order by id')
  const stored = (talk: string) => select.all(talk) as { role: string; body: string }[]
  return {
    append: (talk, role, message) => void insert.run(talk, role, JSON.stringify(message)),
    load: (talk) => stored(talk).map(({ body }) => JSON.parse(body) as M),
    stored,
    bytes: () => bytesOf(db),
    close: () => db.close(),
  }
}

export function bytesOf(db: DatabaseSync): number {
  const pages = db.prepare('pragma page_count').get() as { page_count: number }
  const size = db.prepare('pragma page_size').get() as { page_size: number }
  return pages.page_count * size.page_size
}
