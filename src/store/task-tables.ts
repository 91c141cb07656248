import type { From } from '../contract/messages.ts'
import type { ReturnMode, TaskPriority, TaskStatus } from '../contract/tasks.ts'
import type { SpentColumns, UsedColumns } from './request-tables.ts'

/** A unit of work that a person, a session or a trigger gave to an agent; it is done in a session of its own. */
export interface TaskRow extends SpentColumns, UsedColumns {
  id: string
  project_id: string
  agent: string
  session_id: string
  /** Who gave it. */
  from_kind: From['kind']
  /** The session that gave it and may steer it, and by which call. */
  owner_session_id: string | null
  call_id: string | null
  /** The session that cannot end before it, and with which it ends; null where it stands alone. */
  parent_session_id: string | null
  /** The task on which that session works. */
  parent_task_id: string | null
  /** The same one again returns this task. */
  client_id: string | null
  /** The node of a run as which it is done. */
  node_id: string | null
  /** What its session had spent when the task was made, as JSON: a worker has done others before. */
  spent_before: string
  status: TaskStatus
  top_level: number
  return_mode: ReturnMode
  instruction: string
  /** What came along with the instruction (files, context), as JSON. */
  input: string
  /** As a JSON list. */
  tags: string
  output: string | null
  error: string | null
  /** For all its turns together: the time that it was given, or that its maker had left. */
  max_duration_ms: number | null
  max_iterations: number | null
  max_cost_usd: number | null
  /** How long it may wait for agents and timers without a break. */
  max_wait_ms: number
  priority: TaskPriority
  /** Its last words were too long and it was asked for a summary. */
  summarizing: number
  chain_id: string
  hops: number
  /** How often it was begun: once, again after each crash that cut it short, and again by a person. */
  attempts: number
  retries: number
  /** Turns that began before this do not count against its limits of time and model calls. */
  counts_from: number
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
