import { Readable } from 'node:stream'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Todo } from '../../contract/sessions.ts'
import { readTodos } from '../../core/sessions/index.ts'
import { exportSession, sessionContext, sessionPrompt, sessionTools } from '../../core/turns/index.ts'
import type { Env, Face } from '../context.ts'
import { isPerson } from '../guard/rights.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { answers, Named, page, pageOf, projectQuery, Ref, Whole } from '../shapes.ts'
import { idOf } from './sessions.ts'

const tags = ['sessions']
const formats = { md: 'text/markdown; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const

/** What a session is made of: its prompt, tools, to-dos, context, and all of it as a file. */
export function insideRoutes({ core }: Face) {
  const describe = <T extends z.ZodType, Q extends z.ZodObject>(name: string, summary: string, schema: T, query: Q) =>
    createRoute({
      method: 'get',
      path: `/sessions/{ref}/${name}`,
      tags,
      summary,
      request: { params: Ref, query },
      responses: answers(schema),
    })
  const prompt = describe('prompt', 'The frozen system prompt with tokens per section', z.unknown(), Named)
  const tools = describe('tools', 'The tools it has in effect', page(z.unknown()), Whole)
  const todos = describe('todos', 'Its to-do list', page(Todo), Whole)
  const context = describe('context', "What fills the model's window", z.unknown(), Named)
  const exported = createRoute({
    method: 'get',
    path: '/sessions/{ref}/export',
    tags,
    summary: 'The whole log as Markdown or JSON lines',
    request: { params: Ref, query: z.object({ ...projectQuery, format: z.enum(['md', 'jsonl']).default('md') }) },
    responses: { 200: { description: 'The file' } },
  })

  return new OpenAPIHono<Env>()
    .openapi(prompt, async (c) =>
      c.json(await sessionPrompt(core, await idOf(core, c), (read) => snapshot(core, c, read)), 200),
    )
    .openapi(tools, async (c) =>
      c.json(pageOf(await sessionTools(core, await idOf(core, c)), c.req.valid('query')), 200),
    )
    .openapi(todos, async (c) => {
      const id = await idOf(core, c)
      const todos = await snapshot(core, c, (db) => readTodos(core, id, db))
      return c.json(pageOf(todos, c.req.valid('query')), 200)
    })
    .openapi(context, async (c) =>
      c.json(await sessionContext(core, await idOf(core, c), (read) => snapshotAside(core, c, read)), 200),
    )
    .openapi(exported, async (c) => {
      const { format } = c.req.valid('query')
      const sessionId = await idOf(core, c)
      c.header('Content-Type', formats[format])
      c.header('Content-Disposition', `attachment; filename="${sessionId}.${format}"`)
      return c.body(
        Readable.toWeb(
          Readable.from(exportSession(core, sessionId, { format, forPeople: isPerson(c.var.caller) })),
        ) as ReadableStream,
      )
    })
}
