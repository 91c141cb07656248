import type { Mode, SessionStatus, Signal, Stopper, Unattended } from '../contract/sessions.ts'
import type { SpentColumns, UsedColumns } from './request-tables.ts'

/** What a session does and who holds it. Only its owner in core and the leases here write these columns. */
export interface SessionState {
  readonly status: SessionStatus
  readonly reason: string | null
  /** The open turn, also while one of its calls is parked. */
  readonly turn_id: string | null
  /** What the next safe point of its turn has to heed. */
  readonly signal: Signal | null
  /** Who last canceled or closed it: human or parent. */
  readonly stopped_by: Stopper | null
  /** Since when a runner is wanted; null when there is nothing to do. */
  readonly wanted_at: number | null
  readonly lease_owner: string | null
  readonly lease_until: number | null
  /** Raised with every claim; a writer with an older one writes nothing. */
  readonly fence: number
  /** Claims since the last appended message, as far as they count. */
  readonly attempts: number
  /** How often since the last appended message it was checked alone and did no harm. */
  readonly checks: number
  readonly closed_at: number | null
  readonly deleted_at: number | null
}

export interface SessionRow extends SessionState, UsedColumns, SpentColumns {
  id: string
  project_id: string
  agent: string
  mode: Mode
  parent_session_id: string | null
  /** The makers and what they were allowed, outermost first, as JSON: the session can never do more. */
  makers: string
  client_id: string | null
  title: string
  pinned_at: number | null
  attributes: string
  model: string | null
  workspace: string
  /** The host that has its workspace; null where one process has the database to itself, or nobody knows. */
  host: string | null
  /** 1 where every host has its workspace. */
  moves: number
  unattended: Unattended | null
  /** What becomes of its questions that nobody answers: wait, first, expire:<seconds>. */
  questions: string | null
  /** "all" while it is paused because everything is. */
  paused_with: string | null
  message_count: number
  next_seq: number
  next_mail: number
  /** Raised when history is edited, deleted from or cleared: a history held in memory is then stale. */
  log_version: number
  compaction_count: number
  /** A person asks for a compaction at the next safe point, and what they want to be kept above all. */
  compact_focus: string | null
  /** How much mail of agents it takes before a person writes again, and how much of that is spent. */
  auto_wake_budget: number
  wakes_spent: number
  last_snippet: string
  read_seq: number
  /** The task it works on; stays when the task has ended. */
  task_id: string | null
  /** The run that it coordinated last, or in which it works. */
  run_id: string | null
  /** Its name, where it is a worker of that run: it does not close with its task. */
  worker: string | null
  /** The node that it works on; stays when the node has ended. */
  node_id: string | null
  /** Where the person was before they switched here. */
  came_from: string | null
  /** The switch by which they came last; it stays when they have left. */
  switch_id: string | null
  /** Whether the hooks of its start have run, and which hooks want to know of an end. */
  hooks: string | null
  priority: number
  /** 1 for a tick that found nothing to do: it is kept out of a person's lists. */
  hidden: number
  created_at: number
  updated_at: number
}

/** The person went on from one session to another. */
export interface SwitchRow {
  id: string
  from_session_id: string
  to_session_id: string
  /** A request that is sent again leads to the same place. */
  client_id: string | null
  /** The mail that went along. */
  mail_id: string | null
  at: number
}

/** What a message said before a person edited or deleted it: for people, never for a model. */
export interface TombstoneRow {
  session_id: string
  seq: number
  /** How often it was changed before. */
  version: number
  parts: string
  at: number
}
