import type { Routes } from '../../contract/routes/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const modelHandlers = ({ core }: ServerParts) =>
  ({
    'GET /api/models': async ({ c, query }) => pageOf(await core.models.list(projectOf(core, c)), query),
    'POST /api/models/update': () => core.models.updateCatalogue(),
  }) satisfies Partial<Handlers<Routes['models']>>
