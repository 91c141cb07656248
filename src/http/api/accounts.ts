import type { Routes } from '../../contract/routes/index.ts'
import type { Face } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../pages.ts'
import { projectOf } from './project.ts'

export const accountHandlers = ({ core }: Face) =>
  ({
    'GET /api/accounts': async ({ c, query }) => pageOf(await core.models.accounts(projectOf(core, c)), query),
  }) satisfies Partial<Handlers<Routes['models']>>
