import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { makeBackup } from '../../core/server/index.ts'
import type { Env, Face } from '../context.ts'
import { answers } from '../shapes.ts'

/** An online copy of the database, beside it. */
export function backupRoutes({ core }: Face) {
  const make = createRoute({
    method: 'post',
    path: '/backup',
    tags: ['server'],
    summary: 'Copy the database into the folder "backups" of the data folder while it runs',
    responses: answers(z.strictObject({ file: z.string(), bytes: z.int() })),
  })

  return new OpenAPIHono<Env>().openapi(make, async (c) => c.json(await makeBackup(core), 200))
}
