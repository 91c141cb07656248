import type { Routes } from '../../contract/routes/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const accountHandlers = ({ core }: ServerParts) =>
  ({
    'GET /api/accounts': async ({ c, query }) => pageOf(await core.models.accounts(projectOf(core, c)), query),
  }) satisfies Partial<Handlers<Routes['models']>>
