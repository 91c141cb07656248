import type { Routes } from '../../contract/routes/index.ts'
import { listProjects } from '../../core/server/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { pageOf } from '../paging.ts'

export const projectHandlers = ({ core }: ServerParts): Handlers<Routes['projects']> => ({
  'GET /api/projects': async ({ c, query }) => pageOf(await snapshot(core, c)((db) => listProjects(core, db)), query),
})
