import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { BackSession, SwitchSession } from '../../contract/api.ts'
import { Receipt } from '../../contract/mail.ts'
import { Session } from '../../contract/sessions.ts'
import { backSession, promoteSession, switchSession } from '../../core/steering/index.ts'
import type { Env, Face } from '../context.ts'
import { answers, body, Named, Ref, shape } from '../shapes.ts'
import { idOf } from './sessions.ts'

const tags = ['sessions']
const one = { params: Ref, query: Named }

/** Where the person goes from one session to another, and what they let go on by itself. */
export function switchingRoutes({ core }: Face) {
  const SessionShape = shape('Session', Session)
  const switching = createRoute({
    method: 'post',
    path: '/sessions/{ref}/switch',
    tags,
    summary: "Go on with another agent, in its latest session; a message is delivered there as the person's",
    request: { ...one, body: body(SwitchSession) },
    responses: answers(z.strictObject({ session: SessionShape, receipt: Receipt.optional() })),
  })
  const back = createRoute({
    method: 'post',
    path: '/sessions/{ref}/back',
    tags,
    summary: 'Return to the session the person came from; what was decided here is told there',
    request: { ...one, body: { ...body(BackSession), required: false } },
    responses: answers(SessionShape),
  })
  const promote = createRoute({
    method: 'post',
    path: '/sessions/{ref}/promote',
    tags,
    summary: 'Let a child stay when the session that made it ends',
    request: one,
    responses: answers(SessionShape),
  })

  return new OpenAPIHono<Env>()
    .openapi(switching, async (c) => c.json(await switchSession(core, await idOf(core, c), c.req.valid('json')), 200))
    .openapi(back, async (c) => c.json(await backSession(core, await idOf(core, c), c.req.valid('json')), 200))
    .openapi(promote, async (c) => c.json(await promoteSession(core, await idOf(core, c)), 200))
}
