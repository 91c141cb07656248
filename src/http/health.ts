import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { status } from '../core/status.ts'
import type { Env, Face } from './face.ts'
import { answers, Named, Ok } from './shapes.ts'

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
    summary: 'Version, store, engine, counts, providers, cost today',
    request: { query: Named },
    responses: answers(z.record(z.string(), z.unknown())),
  })

  return new OpenAPIHono<Env>()
    .openapi(health, (c) => c.json({ ok: true as const }, 200))
    .openapi(show, async (c) => c.json({ ...(await status(core)), running: engine.running }, 200))
}
