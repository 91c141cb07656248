import type { Top } from '../../../src/contract/top.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { spaced } from '../live/spaced.ts'

/** All that is going on, with a live sentence for each. */
const top: Resource<Top> = {
  key: 'top',
  read: spaced(700, () => server.snapshot('GET /api/top', {})),
  interest: {
    types: [
      ...(['session.status', 'turn.started', 'turn.ended', 'tool.started', 'tool.ended', 'call.parked'] as const),
      ...(['call.resumed', 'model.called', 'model.queued', 'task.created', 'task.finished'] as const),
    ],
  },
  fold: () => stale,
}

export const useTop = (): Live<Top> => useLive(top)
