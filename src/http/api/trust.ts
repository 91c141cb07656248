import type { Routes } from '../../contract/routes/index.ts'
import { setTrust, trustState } from '../../core/config/index.ts'
import { trustDecided } from '../../core/inbox/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { projectOf } from './project.ts'

export const trustHandlers = ({ core, security }: ServerParts): Handlers<Routes['trust']> => ({
  'GET /api/trust': ({ c }) => trustState(core, projectOf(core, c)),
  'POST /api/trust': async ({ c, body: wanted }) => {
    const project = projectOf(core, c)
    const state = await setTrust(core, project, wanted)
    await trustDecided(core, project)
    const verb = wanted.trusted ? 'trusted' : wanted.hash === undefined ? 'no longer trusted' : 'declined'
    const by = callerName(c.var.caller)
    security('trust', 'POST /api/trust', `${project.path} ${verb} by ${by}`, by)
    return state
  },
})
