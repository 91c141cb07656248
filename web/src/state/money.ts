import type { Budgets } from '../../../src/contract/cost.ts'
import type { ServerStatus } from '../../../src/contract/server.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** The server, what it counts and what today cost. */
const status: Resource<ServerStatus> = {
  key: 'status',
  read: () => server.snapshot('GET /api/status', {}),
  interest: { types: ['turn.ended', 'model.settled', 'run.status'] },
  fold: () => stale,
}

export const useStatus = (): Live<ServerStatus> => useLive(status)

const budgets: Resource<Budgets> = {
  key: 'budgets',
  read: () => server.snapshot('GET /api/budgets', {}),
  interest: { types: ['turn.ended', 'budget.exceeded'] },
  fold: () => stale,
}

export const useBudgets = (): Live<Budgets> => useLive(budgets)
