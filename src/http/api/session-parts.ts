import { Readable } from 'node:stream'
import type { Routes } from '../../contract/routes/index.ts'
import { readTodos } from '../../core/sessions/index.ts'
import { exportSession, recordingOf, sessionContext, sessionPrompt, sessionTools } from '../../core/turns/index.ts'
import type { ServerParts } from '../context.ts'
import { isPerson } from '../guard/rights.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { pageOf } from '../paging.ts'
import { idOf } from './sessions.ts'

export const formats = { md: 'text/markdown; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const

/** The parts of a session: its prompt, tools, to-dos and context, and the whole session as a file. */
export const sessionPartHandlers = ({ core }: ServerParts) =>
  ({
    'GET /api/sessions/{ref}/prompt': async ({ c }) => sessionPrompt(core, await idOf(core, c), snapshot(core, c)),
    'GET /api/sessions/{ref}/tools': async ({ c, query }) =>
      pageOf(await sessionTools(core, await idOf(core, c)), query),
    'GET /api/sessions/{ref}/todos': async ({ c, query }) => {
      const id = await idOf(core, c)
      return pageOf(await snapshot(core, c)((db) => readTodos(core, id, db)), query)
    },
    'GET /api/sessions/{ref}/context': async ({ c }) =>
      sessionContext(core, await idOf(core, c), snapshotAside(core, c)),
    'GET /api/sessions/{ref}/recording': async ({ c }) => {
      const sessionId = await idOf(core, c)
      c.header('Content-Type', formats.jsonl)
      return c.body(Readable.toWeb(Readable.from(linesOf(recordingOf(core, sessionId)))) as ReadableStream)
    },
    'GET /api/sessions/{ref}/export': async ({ c, query: { format } }) => {
      const sessionId = await idOf(core, c)
      c.header('Content-Type', formats[format])
      c.header('Content-Disposition', `attachment; filename="${sessionId}.${format}"`)
      return c.body(
        Readable.toWeb(
          Readable.from(exportSession(core, sessionId, { format, forPeople: isPerson(c.var.caller) })),
        ) as ReadableStream,
      )
    },
  }) satisfies Partial<Handlers<Routes['sessions']>>

async function* linesOf(values: AsyncIterable<unknown>): AsyncIterable<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}
