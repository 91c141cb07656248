import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startServer } from '../../src/app.ts'
import type { Core } from '../../src/core/base/core.ts'
import { deliver } from '../../src/core/mail/deliver.ts'
import { createSession } from '../../src/core/sessions/sessions.ts'
import { insertMessages, toRow } from '../../src/store/messages.ts'
import { updateSession } from '../../src/store/sessions.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { AGENT, furnish, MODEL } from '../house.ts'
import { addTool } from './add.ts'
import { startClient } from './client.ts'
import { watchTurns } from './ended.ts'
import { bytesOf } from './floor-log.ts'
import { type Job, type Seed, TOOL, type Variant } from './job.ts'

/** The whole program in this process, with store, engine, permissions and HTTP; reached from inside or over HTTP. */
export async function openOurs(job: Job, door: 'deliver' | 'http'): Promise<Variant> {
  // The floors send one tool, so ours does too.
  const { home, project } = furnish(job.folder, job.vendor, [TOOL], ['todo_*'])
  const server = await startServer({
    home,
    project,
    env: { HOME: job.folder },
    port: 0,
    tools: [...builtInTools, addTool],
  })
  const { core } = server
  const turns = watchTurns(core)
  const reader = new DatabaseSync(join(home, 'data.db'), { readOnly: true })
  const ids = new Map<string, string>()
  const client = door === 'http' ? await startClient(server) : undefined

  return {
    async open(talk, history) {
      const { id } = await createSession(core, core.project, { agent: AGENT })
      ids.set(talk, id)
      if (history.length > 0) await seed(core, id, history)
    },
    async converse(talk, text) {
      const id = ids.get(talk)!
      if (client !== undefined) return client.say(id, text)
      const ended = turns.next(id)
      await deliver(core, { to: id, from: { kind: 'human' }, content: text })
      await ended
    },
    async stored(talk) {
      const rows = reader.prepare('select role, parts as body from messages where session_id = ? order by seq')
      return rows.all(ids.get(talk)!) as { role: string; body: string }[]
    },
    bytes: () => bytesOf(reader),
    system: () => String(reader.prepare('select text from prompts limit 1').get()?.text),
    async close() {
      turns.stop()
      await client?.stop()
      reader.close()
      await server.stop()
    },
  }
}

async function seed(core: Core, id: string, history: readonly Seed[]): Promise<void> {
  const rows = history.map(({ role, text }, at) => {
    const from = role === 'user' ? { from: { kind: 'human' as const } } : { model: `lab/${MODEL}` }
    return toRow(id, at + 1, { role, parts: [{ type: 'text', text }], ...from }, core.clock.now())
  })
  await core.store.write(async (db) => {
    for (let at = 0; at < rows.length; at += 500) await insertMessages(db, rows.slice(at, at + 500))
    await updateSession(db, id, { next_seq: rows.length + 1, message_count: rows.length })
  })
}
