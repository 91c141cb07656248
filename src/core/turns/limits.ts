import type { TurnRow } from '../../store/tables.ts'
import { unpricedReason } from '../spending/index.ts'
import type { Setup } from './turn.ts'

/** Why no further model call may be made in this turn. */
export function limitReached(setup: Setup, row: TurnRow, now: number): string | undefined {
  const { maxIterations, limits } = setup
  const maxCostUsd = limits.turnUsd
  const ofTask = taskLimitReached(setup, row)
  if (ofTask !== undefined) return ofTask
  if (row.iterations >= maxIterations)
    return stoppedAt(`${maxIterations} model calls in one turn (limits.maxIterations)`)
  if (now >= deadlineOf(setup, row)) return outOfTime(setup)
  if (maxCostUsd === undefined) return undefined
  // What asks no models reserves nothing: it is stopped afterwards.
  if (setup.runtime.models === undefined && row.total_cost_usd >= maxCostUsd)
    return stoppedAt(`${maxCostUsd} USD in one turn (limits.maxCostUsd)`)
  return row.unpriced_tokens > 0 ? unpricedReason(maxCostUsd, row.unpriced_tokens) : undefined
}

function taskLimitReached({ task }: Setup, row: TurnRow): string | undefined {
  if (task?.maxIterations === undefined || task.iterations + row.iterations < task.maxIterations) return undefined
  return `The task was stopped at its limit of ${task.maxIterations} model calls (maxIterations). A person may have it tried again with a higher one.`
}

export const deadlineOf = ({ maxDurationMs, workedMs }: Setup, row: TurnRow): number =>
  row.started_at + row.waited_ms + maxDurationMs - (workedMs ?? 0)

export const outOfTime = ({ maxDurationMs, workedMs }: Setup, waitedFor?: string): string =>
  stoppedAt(
    `${maxDurationMs / 1000} s of work in ${workedMs === undefined ? 'one turn' : 'all its turns'} (limits.maxDurationSeconds)`,
  ) + (waitedFor === undefined ? '' : ` It was waiting for its model: ${waitedFor}`)

const stoppedAt = (limit: string): string =>
  `Stopped at the limit of ${limit}. Send a message to go on, or raise the limit.`
