import type { Routes } from '../../contract/routes/index.ts'
import type { Face } from '../context.ts'
import { nameOf } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'

export const shutdownHandlers = ({ shutdown, security }: Face) =>
  ({
    'POST /api/shutdown': ({ c }) => {
      security('shutdown', 'POST /api/shutdown', `by ${nameOf(c.var.caller)}`)
      // Behind the answer, so that the caller gets it.
      setImmediate(shutdown)
      return { ok: true as const }
    },
  }) satisfies Partial<Handlers<Routes['server']>>
