import type { Event } from '../../../src/contract/events.ts'
import { boardEvents, foldBoard } from '../../../src/contract/fold-board.ts'
import type { Board, Run } from '../../../src/contract/runs.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

const SHOWN = 100

/** The newest runs of all projects. */
const recentRuns: Resource<readonly Run[]> = {
  key: 'runs',
  async read() {
    const { value, seq } = await server.snapshot('GET /api/runs', { query: { project: '*', limit: SHOWN } })
    return { value: value.items, seq }
  },
  interest: {
    types: [
      ...(['run.created', 'run.titled', 'run.status'] as const),
      ...(['node.created', 'node.started', 'node.waiting', 'node.finished'] as const),
      ...(['node.failed', 'node.canceled', 'node.blocked', 'worker.spawned', 'worker.retired', 'turn.ended'] as const),
    ],
  },
  // How many nodes are in which state is not in an event; the list is short.
  fold: (runs, event) => (event.runId === undefined ? runs : stale),
}

export const useRuns = (): Live<readonly Run[]> => useLive(recentRuns)

const concerned = new Set<string>(boardEvents)

/** The board of a run, as it grows. */
export const boardResource = (id: string): Resource<Board> => ({
  key: `board ${id}`,
  read: () => server.snapshot('GET /api/runs/{id}/board', { params: { id } }),
  interest: { run: id },
  fold: (board, event) => (concerned.has(event.type) ? foldBoard(board, event) : board),
})

export const useBoard = (id: string): Live<Board> => useLive(boardResource(id))

/** The events of a board that say that its run is over. */
export const isRunEnd = ({ type, data }: Event): boolean =>
  type === 'run.status' && ['finished', 'failed', 'stopped'].includes(String(data.to))
