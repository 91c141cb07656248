import type { Routes } from '../../contract/routes/index.ts'
import { version } from '../../core/base/index.ts'
import { keepLayout, layoutOf } from '../../core/server/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'

export const meHandlers = ({ core, devices }: ServerParts): Handlers<Routes['me']> => ({
  'GET /api/me': ({ c }) => {
    const { caller } = c.var
    const device = caller.kind === 'device' ? devices.list().find(({ id }) => id === caller.deviceId) : undefined
    return {
      kind: device === undefined ? ('owner' as const) : ('device' as const),
      ...(device && { device }),
      version,
      instance: core.instance,
    }
  },
  'GET /api/me/layout': ({ c }) => snapshot(core, c)(layoutOf),
  'PUT /api/me/layout': ({ body }) => keepLayout(core, body.value),
})
