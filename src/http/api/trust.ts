import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { SetTrust } from '../../contract/api.ts'
import { setTrust, trustState } from '../../core/config/index.ts'
import type { Env, Face } from '../context.ts'
import { nameOf } from '../guard/auth.ts'
import { answers, body, Named, shape } from '../shapes.ts'
import { projectOf } from './project.ts'

const tags = ['trust']
const Part = z.strictObject({ file: z.string(), what: z.string() })
const State = shape(
  'TrustState',
  z.strictObject({
    trusted: z.boolean(),
    hash: z.string(),
    acting: z.array(Part),
    changed: z.array(Part),
    declined: z.boolean(),
  }),
)

/** Whether the parts of a project that act may have effect. */
export function trustRoutes({ core, security }: Face) {
  const get = createRoute({
    method: 'get',
    path: '/trust',
    tags,
    summary: 'The acting parts of the project and whether they are trusted as they are',
    request: { query: Named },
    responses: answers(State),
  })
  const post = createRoute({
    method: 'post',
    path: '/trust',
    tags,
    summary: 'Trust exactly what the hash stands for, decline it, or without a hash no longer trust',
    request: { query: Named, body: body(SetTrust) },
    responses: answers(State),
  })

  return new OpenAPIHono<Env>()
    .openapi(get, async (c) => c.json(plain(await trustState(core, projectOf(core, c))), 200))
    .openapi(post, async (c) => {
      const project = projectOf(core, c)
      const wanted = c.req.valid('json')
      const state = await setTrust(core, project, wanted)
      const verb = wanted.trusted ? 'trusted' : wanted.hash === undefined ? 'no longer trusted' : 'declined'
      security('trust', 'POST /api/trust', `${project.path} ${verb} by ${nameOf(c.var.caller)}`)
      return c.json(plain(state), 200)
    })
}

const plain = ({ trusted, hash, acting, changed, declined }: Awaited<ReturnType<typeof trustState>>) => ({
  trusted,
  hash,
  acting: [...acting],
  changed: [...changed],
  declined,
})
