import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { startServer } from '../../src/app.ts'
import type { Tool } from '../../src/core/base/tool.ts'
import { deliver } from '../../src/core/mail/deliver.ts'
import { defineTool } from '../../src/core/permissions/judge.ts'
import { createSession } from '../../src/core/sessions/sessions.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { AGENT, furnish } from '../house.ts'
import { watchTurns } from '../turn/ended.ts'
import { BODY, HOLD } from './job.ts'

/** The whole program in this process, reached through deliver(); history is read from the database file. */
export async function openOurs(folder: string, vendor: string) {
  const house = furnish(folder, vendor, [HOLD])
  const hold = createHold()
  const tools = [...builtInTools, hold.tool]
  const server = await startServer({ ...house, env: { HOME: folder }, port: 0, tools })
  const { core } = server
  const turns = watchTurns(core)
  const reader = new DatabaseSync(join(house.home, 'data.db'), { readOnly: true })
  const inHistory = reader.prepare('select seq from messages where mail_id = ?')

  const send = (to: string, content: string) => deliver(core, { to, from: { kind: 'human' }, content })

  /** Resolves at the commit that brings the mail into history, with the time of that commit. */
  function taken(mailId: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const look = (): void => {
      if (inHistory.get(mailId) === undefined) return
      off()
      resolve(performance.now())
    }
    const off = core.bus.onCommit(look)
    look()
    return promise
  }

  return {
    open: async (): Promise<string> => (await createSession(core, core.project, { agent: AGENT })).id,
    async toIdle(id: string): Promise<{ accepted: number; taken: number }> {
      const ended = turns.next(id)
      const began = performance.now()
      const { mailId, outcome } = await send(id, BODY)
      const accepted = performance.now() - began
      const at = await taken(mailId)
      if (outcome !== 'started') throw new Error(`Mail to an idle session was ${outcome}.`)
      await ended
      return { accepted, taken: at - began }
    },
    async toBusy(id: string): Promise<number> {
      const ended = turns.next(id)
      const entered = hold.next()
      await send(id, HOLD)
      const release = await entered
      const began = performance.now()
      const { mailId, outcome } = await send(id, BODY)
      release()
      const at = await taken(mailId)
      if (outcome !== 'queued') throw new Error(`Mail to a busy session was ${outcome}.`)
      await ended
      return at - began
    },
    diskBytes(): number {
      const { page_count } = reader.prepare('pragma page_count').get() as { page_count: number }
      const { page_size } = reader.prepare('pragma page_size').get() as { page_size: number }
      return page_count * page_size
    },
    async close() {
      turns.stop()
      reader.close()
      await server.stop()
    },
  }
}

/** A tool that tells when it runs, and ends when it is released. */
function createHold() {
  let entered: ((release: () => void) => void) | undefined
  const tool: Tool = defineTool({
    name: HOLD,
    description: 'Wait.',
    input: z.strictObject({}),
    capabilities: [],
    parallel: true,
    async run() {
      await new Promise<void>((resolve) => entered?.(resolve))
      return { output: 'Held.' }
    },
  })
  return {
    tool,
    next: (): Promise<() => void> =>
      new Promise((resolve) => {
        entered = resolve
      }),
  }
}
