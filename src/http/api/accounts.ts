import type { Routes } from '../../contract/routes/index.ts'
import { iso } from '../../lib/clock.ts'
import type { Face } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../pages.ts'
import { projectOf } from './project.ts'

export const accountHandlers = ({ core }: Face) =>
  ({
    'GET /api/accounts': async ({ c, query }) => {
      const accounts = await core.models.accounts(projectOf(core, c))
      const items = accounts.map(({ exhaustedUntil, ...account }) => ({
        ...account,
        ...(exhaustedUntil === undefined ? {} : { exhaustedUntil: iso(exhaustedUntil) }),
      }))
      return pageOf(items, query)
    },
  }) satisfies Partial<Handlers<Routes['models']>>
