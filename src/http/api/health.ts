import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Problem } from '../../contract/agents.ts'
import { status } from '../../core/server/index.ts'
import type { Env, Face } from '../context.ts'
import { snapshot } from '../live/snapshot.ts'
import { answers, Named, Ok, shape } from '../shapes.ts'
import { folderOf, namedProject } from './project.ts'

const StatusShape = shape(
  'Status',
  z.strictObject({
    version: z.string(),
    pid: z.int(),
    instance: z.string(),
    home: z.string(),
    project: z.string(),
    trusted: z.boolean(),
    problems: z.array(Problem),
    store: z.strictObject({ kind: z.string(), durability: z.string().optional() }),
    engine: z.strictObject({ kind: z.string(), running: z.int() }),
    counts: z.record(z.string(), z.number()),
    providers: z.array(z.string()),
    defaultModel: z.string(),
    /** Of every request since midnight, once; with `unpricedTokensToday` above 0 it is not all. */
    costTodayUsd: z.number(),
    unpricedTokensToday: z.int(),
    /** What of the database could not be read since this server began; the rest is served. */
    unreadable: z.array(z.strictObject({ table: z.string(), key: z.string(), column: z.string() })),
    sandbox: z.strictObject({
      mode: z.enum(['off', 'workspace', 'strict']),
      unavailable: z.boolean(),
      reason: z.string().optional(),
      limits: z.string(),
    }),
  }),
)

/** Liveness, without content; and what runs here. */
export function healthRoutes({ core, engine }: Face) {
  const health = createRoute({
    method: 'get',
    path: '/health',
    tags: ['server'],
    summary: 'Whether the server answers; needs no token',
    security: [],
    responses: answers(Ok),
  })
  const show = createRoute({
    method: 'get',
    path: '/status',
    tags: ['server'],
    summary: 'Version, store, engine, counts, providers, cost today: of all projects, or of the one that is named',
    request: { query: Named },
    responses: answers(StatusShape),
  })

  return new OpenAPIHono<Env>()
    .openapi(health, (c) => c.json({ ok: true as const }, 200))
    .openapi(show, async (c) => {
      const folder = folderOf(c)
      const project = folder === undefined || folder === '*' ? '*' : namedProject(core, folder)
      const { problems, ...rest } = await status(core, project, (read) => snapshot(core, c, read))
      const engineNow = { kind: 'embedded', running: engine.running }
      return c.json({ ...rest, problems: [...problems], engine: engineNow }, 200)
    })
}
