import type { Routes } from '../../contract/routes/index.ts'
import type { Face } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../pages.ts'
import { projectOf } from './project.ts'

export const modelHandlers = ({ core }: Face) =>
  ({
    'GET /api/models': async ({ c, query }) => pageOf(await core.models.list(projectOf(core, c)), query),
    'POST /api/models/update': () => core.models.updateCatalogue(),
  }) satisfies Partial<Handlers<Routes['models']>>
