import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { Env, Face } from '../context.ts'
import { nameOf } from '../guard/auth.ts'
import { answers, Ok } from '../shapes.ts'

export function shutdownRoutes({ shutdown, security }: Face) {
  const stop = createRoute({
    method: 'post',
    path: '/shutdown',
    tags: ['server'],
    summary: 'Stop the server; what runs is kept and goes on at the next start',
    responses: answers(Ok),
  })

  return new OpenAPIHono<Env>().openapi(stop, (c) => {
    security('shutdown', 'POST /api/shutdown', `by ${nameOf(c.var.caller)}`)
    // Behind the answer, so that the caller gets it.
    setImmediate(shutdown)
    return c.json({ ok: true as const }, 200)
  })
}
