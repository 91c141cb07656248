import type { ReturnMode, TaskPriority, TaskStatus } from '../contract/tasks.ts'
import type { SpentColumns } from './request-tables.ts'

/** A unit of work that one session gave to another. */
export interface TaskRow extends SpentColumns {
  id: string
  project_id: string
  agent: string
  session_id: string
  /** Who made it, by which call. */
  parent_session_id: string | null
  call_id: string | null
  status: TaskStatus
  top_level: number
  return_mode: ReturnMode
  instruction: string
  output: string | null
  error: string | null
  /** The time its maker had left when it was made. */
  max_duration_ms: number | null
  /** How long it may wait for agents and timers without a break. */
  max_wait_ms: number
  priority: TaskPriority
  /** Its last words were too long and it was asked for a summary. */
  summarizing: number
  chain_id: string
  hops: number
  created_at: number
  started_at: number | null
  finished_at: number | null
  updated_at: number
}

/** failed: telling failed. silent: the subscriber ended the task itself, so it is charged but not told. */
export type SubscriptionState = 'open' | 'told' | 'failed' | 'silent'

/** Who wants to know how a task ends: a call that waits for it, or the session by mail. */
export interface SubscriptionRow {
  task_id: string
  session_id: string
  call_id: string | null
  /** 1 where the end of one of the tasks that the call waits for ends its wait. */
  any_of: number
  state: SubscriptionState
  /** How much of what the task cost the session has been charged for. */
  charged_usd: number
  charged_tokens: number
  created_at: number
}
