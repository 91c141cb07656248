import { DatabaseSync } from 'node:sqlite'
import { startServer } from '../../src/app.ts'
import { createSession } from '../../src/core/sessions/sessions.ts'
import { insertMessages, toRow } from '../../src/store/messages.ts'
import { updateSession } from '../../src/store/sessions.ts'
import { AGENT, furnish, MODEL } from '../house.ts'
import { MESSAGES, textAt } from './job.ts'
import { bareFile } from './load.ts'

const BATCH = 500

/** `node seed.ts '"…"'`: one session with all its messages, in our data folder and in a bare table beside it. */
const folder = JSON.parse(process.argv[2] ?? '""') as string
const house = furnish(folder, 'http://127.0.0.1:9/v1', [])
const server = await startServer({ ...house, env: { HOME: folder }, port: 0 })
const { core } = server
const { id } = await createSession(core, core.project, { agent: AGENT })
const rows = Array.from({ length: MESSAGES }, (_, at) => {
  const own =
    at % 2 === 0
      ? { role: 'user' as const, from: { kind: 'human' as const } }
      : {
          role: 'assistant' as const,
          model: `lab/${MODEL}`,
          tokens: { input: 100, output: 20, cached: 0, reasoning: 0 },
        }
  return toRow(id, at + 1, { parts: [{ type: 'text', text: textAt(at) }], ...own }, core.clock.now())
})
await core.store.write(async (db) => {
  for (let at = 0; at < rows.length; at += BATCH) await insertMessages(db, rows.slice(at, at + BATCH))
  await updateSession(db, id, { next_seq: rows.length + 1, message_count: rows.length })
})
await server.stop()

const bare = new DatabaseSync(bareFile(folder))
bare.exec('create table messages (id integer primary key, role text not null, body text not null); begin')
const insert = bare.prepare('insert into messages (role, body) values (?, ?)')
for (const { role, parts } of rows) insert.run(role, parts)
bare.exec('commit')
bare.close()
process.stdout.write(`${JSON.stringify(id)}\n`)
