import type { Routes } from '../../contract/routes/index.ts'
import { listHooks, tryHooks } from '../../core/hooks/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { projectOf } from './project.ts'

export const hookHandlers = ({ core, closing }: ServerParts): Handlers<Routes['hooks']> => ({
  'GET /api/hooks': ({ c, query }) => listHooks(core, projectOf(core, c), query.agent),
  'POST /api/hooks/test': async ({ c, body }) => ({
    items: await tryHooks(core, projectOf(core, c), body, AbortSignal.any([closing, c.req.raw.signal])),
  }),
})
