import type { Routes } from '../../contract/routes/index.ts'
import { iso } from '../../lib/clock.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'

export const deviceHandlers = ({ auth, codes, devices, security, url }: ServerParts): Handlers<Routes['devices']> => ({
  'POST /api/login': ({ body: { code, name } }) => {
    auth.check(
      () => codes.take(code),
      'This login code is not valid: it was used, is older than five minutes, or is mistyped.',
    )
    const added = devices.add(name ?? 'browser')
    security('device.added', 'POST /api/login', `${added.device.id} ${added.device.name}`)
    return added
  },
  'POST /api/devices/code': () => {
    const { code, expiresAt } = codes.make()
    return { code, url: `${url()}/#code=${code}`, expiresAt: iso(expiresAt) }
  },
  'GET /api/devices': ({ query }) => pageOf(devices.list(), query),
  'DELETE /api/devices/{id}': ({ params: { id } }) => {
    devices.remove(id)
    security('device.removed', 'DELETE /api/devices', id)
    return { ok: true }
  },
})
