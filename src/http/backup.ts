import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { iso } from '../lib/clock.ts'
import type { Env, Face } from './face.ts'
import { answers } from './shapes.ts'

/** An online copy of the database, beside it. */
export function backupRoutes({ core }: Face) {
  const make = createRoute({
    method: 'post',
    path: '/backup',
    tags: ['server'],
    summary: 'Copy the database into the folder "backups" of the data folder while it runs',
    responses: answers(z.strictObject({ file: z.string(), bytes: z.int() })),
  })

  return new OpenAPIHono<Env>().openapi(make, async (c) => {
    const folder = join(core.home, 'backups')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, `data-${iso(core.clock.now()).replaceAll(/[:.]/g, '-')}.db`)
    await core.store.backup(file)
    return c.json({ file, bytes: statSync(file).size }, 200)
  })
}
