import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { unpricedReason } from '../spending/index.ts'
import type { Setup } from './turn.ts'

/** Why no further model call may be made in this turn. */
export function limitReached(setup: Setup, session: SessionRow, row: TurnRow, now: number): string | undefined {
  const { maxIterations, maxCostUsd } = setup
  const ofTask = taskLimitReached(setup, session, row)
  if (ofTask !== undefined) return ofTask
  if (row.iterations >= maxIterations)
    return stoppedAt(`${maxIterations} model calls in one turn (limits.maxIterations)`)
  if (now >= deadlineOf(setup, row)) return outOfTime(setup)
  if (maxCostUsd === undefined) return undefined
  if (row.total_cost_usd >= maxCostUsd) return stoppedAt(`${maxCostUsd} USD in one turn (limits.maxCostUsd)`)
  return row.unpriced_tokens > 0 ? unpricedReason(maxCostUsd, row.unpriced_tokens) : undefined
}

function taskLimitReached({ task }: Setup, session: SessionRow, row: TurnRow): string | undefined {
  if (task === undefined) return undefined
  const { maxIterations, iterations, maxCostUsd } = task
  if (maxIterations !== undefined && iterations + row.iterations >= maxIterations)
    return taskStoppedAt(`${maxIterations} model calls (maxIterations)`)
  if (maxCostUsd === undefined || session.total_cost_usd < maxCostUsd) return undefined
  return taskStoppedAt(`${maxCostUsd} USD (maxCostUsd)`)
}

const taskStoppedAt = (limit: string): string =>
  `The task was stopped at its limit of ${limit}. A person may have it tried again with a higher one.`

export const deadlineOf = ({ maxDurationMs, workedMs }: Setup, row: TurnRow): number =>
  row.started_at + row.waited_ms + maxDurationMs - (workedMs ?? 0)

export const outOfTime = ({ maxDurationMs, workedMs }: Setup, waitedFor?: string): string =>
  stoppedAt(
    `${maxDurationMs / 1000} s of work in ${workedMs === undefined ? 'one turn' : 'all its turns'} (limits.maxDurationSeconds)`,
  ) + (waitedFor === undefined ? '' : ` It was waiting for its model: ${waitedFor}`)

const stoppedAt = (limit: string): string =>
  `Stopped at the limit of ${limit}. Send a message to go on, or raise the limit.`
