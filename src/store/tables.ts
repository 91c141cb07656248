import type { Generated, Kysely } from 'kysely'

/** Times are milliseconds since 1970, JSON is text, truth is 0 or 1: the same in both databases. */
export interface Tables {
  projects: { id: string; path: string; created_at: number }
  sessions: SessionRow
  messages: MessageRow
  mail: MailRow
  calls: CallRow
  turns: TurnRow
  inbox: InboxRow
  events: EventRow
  timers: TimerRow
  todos: { session_id: string; todos: string; call_id: string; updated_at: number }
  prompts: PromptRow
  grants: { session_id: string; tool: string; created_at: number }
  migrations: { id: number; name: string; at: number }
}

export type Db = Kysely<Tables>

export interface SessionRow {
  id: string
  project_id: string
  agent: string
  mode: string
  parent_session_id: string | null
  /** Who made it and what they were allowed, outermost first, as JSON: it can never do more. */
  makers: string
  client_id: string | null
  title: string
  pinned_at: number | null
  attributes: string
  model: string | null
  status: string
  reason: string | null
  workspace: string
  unattended: string | null
  message_count: number
  next_seq: number
  next_mail: number
  /** Raised when history is edited, deleted from or cleared: what was held in memory is stale. */
  log_version: number
  tokens_input: number
  tokens_output: number
  tokens_cached: number
  tokens_reasoning: number
  cost_usd: number
  compaction_count: number
  auto_wake_budget: number
  last_snippet: string
  read_seq: number
  /** The open turn, also while it is parked. */
  turn_id: string | null
  /** What a person asked of the running turn: interrupt, cancel, pause, close. */
  signal: string | null
  /** Since when a runner is wanted; null when there is nothing to do. */
  wanted_at: number | null
  priority: number
  lease_owner: string | null
  lease_until: number | null
  /** Raised with every claim; a writer with an older one writes nothing. */
  fence: number
  /** Claims since the last appended message. */
  attempts: number
  created_at: number
  updated_at: number
  closed_at: number | null
  deleted_at: number | null
}

export interface MessageRow {
  session_id: string
  seq: number
  role: string
  parts: string
  from_kind: string | null
  from_agent: string | null
  from_session_id: string | null
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
  edited_at: number | null
  deleted_at: number | null
  created_at: number
}

export interface MailRow {
  id: string
  project_id: string
  session_id: string
  position: number
  from_kind: string
  from_agent: string | null
  from_session_id: string | null
  content: string
  followup: number
  interrupt: number
  outcome: string
  state: string
  turn_id: string | null
  client_id: string | null
  reply_to: string | null
  chain_id: string
  hops: number
  expires_at: number | null
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
  vendor_call_id: string
  /** ready (may start), started, parked (waits), resolved (its result is known), done (its result is in the log). */
  state: string
  /** While parked: approval, question, timer. */
  kind: string | null
  inbox_id: string | null
  resolution: string | null
  started_at: number | null
  created_at: number
}

export interface TurnRow {
  id: string
  session_id: string
  started_at: number
  ended_at: number | null
  ended_as: string | null
  reason: string | null
  iterations: number
  /** While it waits for a person its time limit stands still. */
  waiting_since: number | null
  waited_ms: number
  tokens_input: number
  tokens_output: number
  tokens_cached: number
  tokens_reasoning: number
  cost_usd: number
}

export interface InboxRow {
  id: string
  project_id: string
  session_id: string | null
  call_id: string | null
  kind: string
  status: string
  title: string
  body: string
  options: string | null
  from_kind: string
  from_agent: string | null
  answer: string | null
  answered_by: string | null
  created_at: number
  answered_at: number | null
}

export interface EventRow {
  id: Generated<number>
  at: number
  type: string
  project_id: string
  session_id: string | null
  data: string
}

export interface TimerRow {
  id: string
  due_at: number
  /** call: a parked call's time is up. mail: a mail expires. */
  kind: string
  ref: string
  session_id: string
  /** What to do with it when it is due, as JSON. */
  payload: string
}

export interface PromptRow {
  session_id: string
  key: string
  model: string
  text: string
  sections: string
  created_at: number
}
