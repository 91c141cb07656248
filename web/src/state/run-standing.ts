import type { Run } from '../../../src/contract/runs.ts'
import { askers, useInbox } from './inbox.ts'
import { useSessions } from './sessions.ts'
import { type Standing, standingOfRun, standings } from './standing.ts'

const isOver = ({ status }: Run): boolean => status === 'finished' || status === 'failed' || status === 'stopped'

/** How a run stands: a question of any member is the run's. */
export function useRunStandings(): (run: Run) => Standing {
  const asking = askers(useInbox().value)
  const waiting = new Set((useSessions().value ?? []).filter(({ id }) => asking.has(id)).map(({ runId }) => runId))
  return (run) => (waiting.has(run.id) && !isOver(run) ? standings.asks : standingOfRun(run))
}
