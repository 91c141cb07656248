import { isWaitingForCycle, limitsOfRun } from '../../store/runs.ts'
import type { RunRow } from '../../store/tables.ts'
import { leaveRunErrand, type Tx } from '../base/index.ts'

/** When the time of a run is up. What the settings give an infinite run, it has in each cycle; between them it is not counted. */
export function timeIsUpAt(run: RunRow): number | undefined {
  const seconds = limitsOfRun(run).maxDurationSeconds
  if (seconds === undefined || (run.time_per_cycle === 1 && isWaitingForCycle(run))) return undefined
  const since = run.time_per_cycle === 1 ? run.cycle_at : null
  return (since ?? run.created_at) + seconds * 1000
}

/** Leaves the errand for the moment at which the time of the run is up. */
export async function watchTime(tx: Tx, run: RunRow): Promise<void> {
  const due = timeIsUpAt(run)
  if (due !== undefined) await leaveRunErrand(tx, 'limit', run.id, due)
}
