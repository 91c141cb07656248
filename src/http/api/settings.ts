import type { Routes } from '../../contract/routes/index.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { effectiveSettings, patchSettings, settingsWithSources } from '../../core/config/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { projectOf } from './project.ts'

export const settingsHandlers = ({ core }: ServerParts): Handlers<Routes['settings']> => ({
  'GET /api/settings': ({ c }) => view(core, projectOf(core, c)),
  'PATCH /api/settings': async ({ c, body: { where, changes } }) => {
    const project = projectOf(core, c)
    await patchSettings(core, project, where, changes)
    return view(core, project)
  },
})

async function view(core: Core, project: Project) {
  const { problems, trusted } = await effectiveSettings(core, project)
  return { items: settingsWithSources(core, project), problems, trusted }
}
