import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Login } from '../../contract/api.ts'
import { Time } from '../../contract/ids.ts'
import { iso } from '../../lib/clock.ts'
import type { Env, Face } from '../context.ts'
import { answers, body, Ok, page, pageOf, shape, Whole } from '../shapes.ts'
import { Device } from './devices.ts'

const tags = ['devices']
const DeviceShape = shape('Device', Device)

/** A one-time code becomes a device's token; devices are listed and revoked. */
export function loginRoutes({ auth, codes, devices, security, url }: Face) {
  const login = createRoute({
    method: 'post',
    path: '/login',
    tags,
    summary: 'Exchange a one-time code for the token of a new device; needs no token',
    security: [],
    request: { body: body(Login) },
    responses: answers(z.strictObject({ token: z.string(), device: DeviceShape })),
  })
  const makeCode = createRoute({
    method: 'post',
    path: '/devices/code',
    tags,
    summary: 'Make a one-time login code, valid for five minutes',
    responses: answers(z.strictObject({ code: z.string(), url: z.string(), expiresAt: Time })),
  })
  const list = createRoute({
    method: 'get',
    path: '/devices',
    tags,
    summary: 'The devices that hold a token',
    request: { query: Whole },
    responses: answers(page(DeviceShape)),
  })
  const remove = createRoute({
    method: 'delete',
    path: '/devices/{id}',
    tags,
    summary: 'Revoke a device',
    request: { params: z.object({ id: z.string() }) },
    responses: answers(Ok),
  })

  return new OpenAPIHono<Env>()
    .openapi(login, (c) => {
      const { code, name } = c.req.valid('json')
      auth.check(
        () => codes.take(code),
        'This login code is not valid: it was used, is older than five minutes, or is mistyped.',
      )
      const added = devices.add(name ?? 'browser')
      security('device.added', 'POST /api/login', `${added.device.id} ${added.device.name}`)
      return c.json(added, 200)
    })
    .openapi(makeCode, (c) => {
      const { code, expiresAt } = codes.make()
      return c.json({ code, url: `${url()}/#code=${code}`, expiresAt: iso(expiresAt) }, 200)
    })
    .openapi(list, (c) => c.json(pageOf(devices.list(), c.req.valid('query')), 200))
    .openapi(remove, (c) => {
      devices.remove(c.req.valid('param').id)
      security('device.removed', 'DELETE /api/devices', c.req.valid('param').id)
      return c.json({ ok: true as const }, 200)
    })
}
