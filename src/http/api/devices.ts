import type { Routes } from '../../contract/routes/index.ts'
import { iso } from '../../lib/clock.ts'
import type { ServerParts } from '../context.ts'
import { callerName, sourceOf } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'

export const deviceHandlers = ({ auth, codes, devices, security, url }: ServerParts): Handlers<Routes['devices']> => ({
  'POST /api/login': ({ c, body: { code, name } }) => {
    auth.check(
      () => codes.take(code),
      'This login code is not valid: it was used, is older than five minutes, or is mistyped.',
    )
    const added = devices.add(name ?? 'browser')
    const from = sourceOf(undefined, c.env.incoming)
    security('device.added', 'POST /api/login', `${added.device.id} ${added.device.name} from ${from}`, from)
    return added
  },
  'POST /api/devices/code': ({ c }) => {
    const by = callerName(c.var.caller)
    security('login.code', 'POST /api/devices/code', `made by ${by}`, by)
    const { code, expiresAt } = codes.make()
    return { code, url: `${url()}/#code=${code}`, expiresAt: iso(expiresAt) }
  },
  'GET /api/devices': ({ query }) => pageOf(devices.list(), query),
  'DELETE /api/devices/{id}': ({ c, params: { id } }) => {
    c.var.leave()
    devices.remove(id)
    const by = callerName(c.var.caller)
    security('device.removed', 'DELETE /api/devices', `${id} by ${by}`, by)
    return { ok: true }
  },
})
