import type { Routes } from '../../contract/routes/index.ts'
import { budgetsNow } from '../../core/budgets/index.ts'
import { costs } from '../../core/spending/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { pageOf } from '../paging.ts'
import { projectOf, scopeOf } from './project.ts'

export const costHandlers = ({ core }: ServerParts) =>
  ({
    'GET /api/cost': async ({ c, query: { by, since, ...paging } }) => {
      const query = { project: scopeOf(core, c, '*'), by, since: momentOf(since) }
      return pageOf(await snapshotAside(core, c)((db) => costs(core, query, db)), paging)
    },
    'GET /api/budgets': ({ c, query: { agent } }) =>
      snapshot(core, c)((db) => budgetsNow(core, projectOf(core, c), agent, db)),
  }) satisfies Partial<Handlers<Routes['models']>>

/** A bare day begins where the server's day begins. */
const momentOf = (since: string | undefined): number | undefined =>
  since === undefined ? undefined : Date.parse(since.length === 10 ? `${since}T00:00:00` : since)
