import type { Run } from '../../../src/contract/runs.ts'
import { askers, useInbox } from './inbox.ts'
import { heldRuns } from './item-standing.ts'
import { useSessions } from './sessions.ts'
import { type Standing, standingOfRun, standings } from './standing.ts'

const isOver = ({ status }: Run): boolean => status === 'finished' || status === 'failed' || status === 'stopped'

/** How a run stands: a question of any member is the run's, and one about its limits too. */
export function useRunStandings(): (run: Run) => Standing {
  const items = useInbox().value
  const asking = askers(items)
  const held = heldRuns(items)
  const waiting = new Set((useSessions().value ?? []).filter(({ id }) => asking.has(id)).map(({ runId }) => runId))
  return (run) => {
    if (run.status === 'paused' && held.has(run.id)) return standings.asks
    return waiting.has(run.id) && !isOver(run) ? standings.asks : standingOfRun(run)
  }
}
