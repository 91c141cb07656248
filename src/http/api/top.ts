import type { Routes } from '../../contract/routes/index.ts'
import { top } from '../../core/why/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { folderOf, namedProject } from './project.ts'

export const topHandlers = ({ core }: ServerParts) =>
  ({
    'GET /api/top': ({ c }) => {
      const folder = folderOf(c)
      const project = folder === undefined || folder === '*' ? '*' : namedProject(core, folder)
      return top(core, project, snapshot(core, c))
    },
  }) satisfies Partial<Handlers<Routes['server']>>
