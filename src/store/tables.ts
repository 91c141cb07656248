import type { Generated, Kysely } from 'kysely'
import type { CallState, WaitKind } from '../contract/calls.ts'
import type { InboxAction, InboxKind, InboxStatus } from '../contract/inbox.ts'
import type { MailState, Outcome } from '../contract/mail.ts'
import type { From, Role } from '../contract/messages.ts'
import type { TurnEnd } from '../contract/sessions.ts'
import type { BudgetNeed, BudgetRow, ReservationRow } from './budget-tables.ts'
import type { CompactionRow } from './compaction-tables.ts'
import type { MemoryFileRow, MemoryWriteRow } from './memory-tables.ts'
import type { DeliveryRow, PresenceRow } from './person-tables.ts'
import type { RequestRow, SpentColumns, UsedColumns } from './request-tables.ts'
import type { NodeDepRow, NodeRow, RunRow, StageRow, SuggestionRow, WorkerRow } from './run-tables.ts'
import type { SessionRow, SwitchRow, TombstoneRow } from './session-tables.ts'
import type { SubscriptionRow, TaskRow } from './task-tables.ts'
import type { FireRow, TriggerRow } from './trigger-tables.ts'

export type { BudgetRow, ReservationRow } from './budget-tables.ts'
export type { CompactionRow } from './compaction-tables.ts'
export type { DeliveryRow, PresenceRow } from './person-tables.ts'
export type { RequestRow } from './request-tables.ts'
export type { NodeRow, RunRow, StageRow, WorkerRow } from './run-tables.ts'
export type { SessionRow, SessionState, SwitchRow } from './session-tables.ts'
export type { SubscriptionRow, TaskRow } from './task-tables.ts'
export type { FireRow, TriggerRow } from './trigger-tables.ts'

/** Times are milliseconds since 1970, JSON is text, truth is 0 or 1: the same in both databases. */
export interface Tables {
  projects: { id: string; path: string; created_at: number }
  sessions: SessionRow
  hosts: HostRow
  messages: MessageRow
  tombstones: TombstoneRow
  mail: MailRow
  calls: CallRow
  turns: TurnRow
  requests: RequestRow
  budgets: BudgetRow
  reservations: ReservationRow
  inbox: InboxRow
  presence: PresenceRow
  deliveries: DeliveryRow
  events: EventRow
  /** One row, kept by a trigger: the newest event that was ever removed. After it no event is missing. */
  events_removed: { id: number }
  timers: TimerRow
  todos: { session_id: string; todos: string; call_id: string; updated_at: number }
  seen: SeenRow
  prompts: PromptRow
  compactions: CompactionRow
  tasks: TaskRow
  subscriptions: SubscriptionRow
  runs: RunRow
  nodes: NodeRow
  node_deps: NodeDepRow
  stages: StageRow
  workers: WorkerRow
  suggestions: SuggestionRow
  triggers: TriggerRow
  trigger_fires: FireRow
  chains: ChainRow
  switches: SwitchRow
  grants: { session_id: string; tool: string; created_at: number }
  /** Which calls of log_write have left their note. */
  log_notes: { session_id: string; call_id: string }
  memory_writes: MemoryWriteRow
  memory_files: MemoryFileRow
  layouts: { id: string; value: string; updated_at: number }
  /** One row: which life of the database this is, and where it lives it. */
  lives: { id: string; place: string }
  migrations: { id: number; name: string; at: number }
}

export type Db = Kysely<Tables>

/** A data folder on a machine, whose processes share the database with others. */
export interface HostRow {
  id: string
  /** The machine, for people. */
  name: string
  seen_at: number
}

export interface MessageRow {
  session_id: string
  seq: number
  role: Role
  parts: string
  from_kind: From['kind'] | null
  from_agent: string | null
  from_session_id: string | null
  /** The sender's handle as it was shown first: a history that is sent again stays the same. */
  from_handle: string | null
  /** The sender waits for the answer. */
  asks: number | null
  mail_id: string | null
  turn_id: string | null
  model: string | null
  tokens_input: number | null
  tokens_output: number | null
  tokens_cached: number | null
  tokens_reasoning: number | null
  cost_usd: number | null
  duration_ms: number | null
  interrupted: number
  cut: number
  edited_at: number | null
  deleted_at: number | null
  created_at: number
}

/** open: the sender waits. late: the answer will come as mail. closed: nobody wants it. */
export type AskState = 'open' | 'late' | 'answered' | 'closed'

export interface MailRow {
  id: string
  project_id: string
  session_id: string
  position: number
  from_kind: From['kind']
  from_agent: string | null
  from_session_id: string | null
  from_handle: string | null
  content: string
  followup: number
  interrupt: number
  outcome: Outcome
  state: MailState
  turn_id: string | null
  client_id: string | null
  reply_to: string | null
  chain_id: string
  hops: number
  ask_state: AskState | null
  /** The call that waits for the answer; null when someone waits over HTTP. */
  ask_call_id: string | null
  ask_until: number | null
  /** As JSON, once it is known. */
  answer: string | null
  /** What the news in this mail cost elsewhere; whoever takes the mail adds it to its total. */
  cost_usd: number
  unpriced_tokens: number
  expires_at: number | null
  /** When several notices became one message: the first of them, whose message it is. */
  told_with: string | null
  taken_at: number | null
  created_at: number
}

/** One tool call from intent to result. */
export interface CallRow {
  id: string
  session_id: string
  turn_id: string
  /** The assistant message that made it, and its place in it. */
  message_seq: number
  position: number
  name: string
  input: string
  /** The input held a secret: what is stored here is not what was asked for, and must not be run. */
  hidden: number
  vendor_call_id: string
  state: CallState
  /** What kind of wait it parked for last. */
  kind: WaitKind | null
  /** What that wait is for, as JSON; only its kind reads it. */
  waits_for: string | null
  inbox_id: string | null
  /** Which hooks it waits for, or what those before it said, as JSON; null before they are asked, and where there are none. */
  hooked: string | null
  /** The digest of exactly the call that a person approved. */
  approved: string | null
  /** As JSON, once it is resolved. */
  result: string | null
  started_at: number | null
  ended_at: number | null
  created_at: number
}

export interface TurnRow extends UsedColumns, SpentColumns {
  id: string
  session_id: string
  started_at: number
  ended_at: number | null
  ended_as: TurnEnd | null
  reason: string | null
  /** The chain of a person's mail, else of the mail with the most hops. */
  chain_id: string | null
  hops: number
  cause: string | null
  iterations: number
  /** While a turn waits for a person, its time limit stands still. */
  waiting_since: number | null
  waited_ms: number
  /** The budget it waits for, since when, and what that budget lacks. */
  budget_id: string | null
  budget_since: number | null
  budget_needs: BudgetNeed | null
}

export interface InboxRow {
  id: string
  project_id: string
  session_id: string | null
  call_id: string | null
  kind: InboxKind
  status: InboxStatus
  title: string
  body: string
  options: string | null
  from_kind: From['kind']
  from_agent: string | null
  answer: string | null
  answered_by: string | null
  created_at: number
  answered_at: number | null
  /** What an answer does where no call waits for it. */
  action: InboxAction | null
  /** What it is about besides its session: a step of a lineage, as JSON. */
  about: string | null
  /** While it is open, whatever is told under the same name is told with it. */
  grouped: string | null
  times: number
  latest_at: number | null
}

interface EventRow {
  id: Generated<number>
  at: number
  type: string
  project_id: string
  session_id: string | null
  task_id: string | null
  run_id: string | null
  node_id: string | null
  data: string
}

export interface TimerRow {
  id: string
  due_at: number
  /** call: a parked call's time is up. mail: a mail expires. trigger: the next occurrence. The others are errands, most of them due at once. */
  kind: string
  ref: string
  /** The session that it belongs to; null for what belongs to none, such as a trigger. */
  session_id: string | null
  /** What to do when it is due, as JSON. */
  payload: string
  /** Which of several processes serves it; a store of one process needs no claims. */
  claimed_by: string | null
  /** By the database's clock. */
  claimed_until: number | null
}

/** A timer that belongs to a session. */
export type SessionTimer = TimerRow & { session_id: string }

export type NewTimer = Omit<TimerRow, 'claimed_by' | 'claimed_until'>

export interface PromptRow {
  session_id: string
  key: string
  model: string
  text: string
  sections: string
  /** JSON: for each tag whose section a message has replaced since, a digest of that message's text. */
  told: string
  /** JSON: the names of the tools that searches loaded, the newest last. */
  active: string
  created_at: number
}

/** A file as a session last saw it. */
export interface SeenRow {
  session_id: string
  /** The real path. */
  path: string
  digest: string
  seen_at: number
}

/** A chain of mail and tasks that was stopped once, and how far the person let it go on. */
export interface ChainRow {
  id: string
  project_id: string
  /** On top of the settings. */
  more_hops: number
  more_tasks: number
  /** The notice to the person; null once they let the chain go on. */
  notice_id: string | null
  /** The session whose act was refused; it is told when it may go on. */
  refused_session_id: string | null
  stopped_at: number
}
