import type { Routes } from '../../contract/routes/index.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { effectiveSettings, patchSettings, settingsWithSources } from '../../core/config/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { projectOf } from './project.ts'

export const settingsHandlers = ({ core, security }: ServerParts): Handlers<Routes['settings']> => ({
  'GET /api/settings': ({ c }) => view(core, projectOf(core, c)),
  'PATCH /api/settings': async ({ c, body: { where, changes } }) => {
    const project = projectOf(core, c)
    await patchSettings(core, project, where, changes)
    const by = callerName(c.var.caller)
    security('settings', 'PATCH /api/settings', `${where}: ${inWords(changes)} by ${by}`, by)
    return view(core, project)
  },
})

/** Rules are said in full; of the rest only what was changed, because a value may be a key. */
const inWords = (changes: Readonly<Record<string, unknown>>): string =>
  Object.entries(changes)
    .map(([key, value]) => (key.startsWith('permissions') ? `${key} = ${JSON.stringify(value)}` : key))
    .join(', ')

async function view(core: Core, project: Project) {
  const { problems, trusted } = await effectiveSettings(core, project)
  return { items: settingsWithSources(core, project), problems, trusted }
}
