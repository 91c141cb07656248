import type { Routes } from '../../contract/routes/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'

export const shutdownHandlers = ({ shutdown, security }: ServerParts) =>
  ({
    'POST /api/shutdown': ({ c }) => {
      security('shutdown', 'POST /api/shutdown', `by ${callerName(c.var.caller)}`)
      // After the answer was sent, so that the caller gets it.
      setImmediate(shutdown)
      return { ok: true as const }
    },
  }) satisfies Partial<Handlers<Routes['server']>>
