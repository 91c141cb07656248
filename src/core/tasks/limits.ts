import type { TaskLimits } from '../../contract/tasks.ts'
import type { TaskRow } from '../../store/tables.ts'

const SHORTEST_MS = 1000

/** What else bounds a task: the patience of the settings, and the time that its owner has left. */
interface Bounds {
  readonly maxWaitMs: number
  readonly leftMs?: number | undefined
  /** An agent may ask for less patience than the settings have, not for more. */
  readonly byAgent: boolean
}

type Limits = Pick<TaskRow, 'max_iterations' | 'max_duration_ms' | 'max_cost_usd' | 'max_wait_ms'>

/** What a task asks for, within what the task above has. The money of that one counts for it in any case. */
export function limitsFor(asked: TaskLimits = {}, { maxWaitMs, leftMs, byAgent }: Bounds, above?: TaskRow): Limits {
  const duration = least(ms(asked.maxDurationSeconds), leftMs, above?.max_duration_ms)
  return {
    max_iterations: least(asked.maxIterations, above?.max_iterations),
    max_duration_ms: duration === null ? null : Math.max(SHORTEST_MS, duration),
    max_cost_usd: asked.maxCostUsd === undefined ? null : least(asked.maxCostUsd, above?.max_cost_usd),
    max_wait_ms: least(ms(asked.maxWaitSeconds) ?? maxWaitMs, byAgent ? maxWaitMs : null, above?.max_wait_ms)!,
  }
}

const ms = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1000)

function least(...limits: readonly (number | null | undefined)[]): number | null {
  const lowest = Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(lowest) ? lowest : null
}
