import type { CatchUp, Delivery, FireOutcome, TriggerMaker, TriggerStatus, TriggerType } from '../contract/triggers.ts'

/** Something that delivers mail or starts work later. */
export interface TriggerRow {
  id: string
  project_id: string
  name: string
  type: TriggerType
  /** As JSON: when it fires, by its type. */
  config: string
  /** As JSON: what it does then. */
  action: string
  status: TriggerStatus
  /** Why it is paused, when no person paused it. */
  reason: string | null
  catch_up: CatchUp
  max_fires: number | null
  /** How often it acted. */
  fires: number
  made_by: TriggerMaker
  /** The session whose call made it. */
  owner_session_id: string | null
  call_id: string | null
  client_id: string | null
  /** `agent/heartbeat` where it is a daemon's. */
  daemon: string | null
  /** What its makers were allowed, as JSON: what it starts can do no more. */
  makers: string
  /** The chain that an agent's trigger goes on with. */
  chain_id: string | null
  hops: number
  /** Where intervals are counted from. */
  anchor_at: number
  /** The next occurrence that has no outcome yet; the timer `trigger:<id>` is set for it. */
  next_due: number | null
  /** Events up to here have been looked at. */
  event_cursor: string | null
  /** As JSON: what a heartbeat saw when it last looked. */
  seen: string
  last_at: number | null
  last_outcome: string | null
  created_at: number
  updated_at: number
}

/** What became of one occurrence of a trigger, or of several in a row that nobody acted on. */
export interface FireRow {
  id: string
  trigger_id: string
  /** What the occurrence is, in one word: its due time, the event, the request of a person. It has one row. */
  occasion: string
  due_at: number
  /** The first of several; the same as `due_at` where it is one. */
  since_due: number
  covers: number
  at: number
  outcome: FireOutcome
  reason: string | null
  event_seq: string | null
  /** The session that got mail or works on it. */
  session_id: string | null
  /** As JSON: the mail, the task, the answer of a webhook. */
  result: string | null
  chain_id: string | null
  /** How far a webhook has come. */
  delivery: Delivery | null
  attempts: number
}
