import type { Routes } from '../../contract/routes/index.ts'
import type { Face } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../pages.ts'
import { projectOf } from './project.ts'

export const modelHandlers = ({ core }: Face) =>
  ({
    'GET /api/models': async ({ c, query }) => {
      const lists = await Promise.all(Object.values(core.runtimes).map((runtime) => runtime.models(projectOf(core, c))))
      return pageOf(lists.flat(), query)
    },
    'POST /api/models/update': () => core.runtimes.model!.updateCatalogue(),
  }) satisfies Partial<Handlers<Routes['models']>>
