import type {
  CheckpointPolicy,
  NodeStatus,
  RunLimit,
  RunMode,
  RunStatus,
  StageStatus,
  WorkerKind,
} from '../contract/runs.ts'

/** A goal in work. */
export interface RunRow {
  id: string
  project_id: string
  /** The coordinator. */
  session_id: string
  agent: string
  goal: string
  title: string
  /** How often the small model was asked for a title; as often as it may be once it wrote one. */
  title_asks: number
  status: RunStatus
  reason: string | null
  summary: string | null
  /** As JSON. */
  limits: string
  client_id: string | null
  mode: RunMode
  /** 1 where `maxDurationSeconds` is what an infinite run has in each of its cycles. */
  time_per_cycle: number
  /** Of an infinite run: how long after one cycle the next begins. */
  cycle_seconds: number
  /** How often the coordinator was told to go on: reminded, or called to the next cycle. */
  nudges: number
  /** When the next of these is due; null once it was told. */
  nudge_at: number | null
  /** Of an infinite run: when the cycle began in which it is; null in its first. */
  cycle_at: number | null
  /** 1 once the coordinator was reminded that nothing goes on, until something does. */
  reminded: number
  /** The question to the person about a limit that was reached, while it is open, and which limit that is. */
  inbox_id: string | null
  asked_limit: RunLimit | null
  /** As JSON: what the coordinator's session said of absence before the run said something; null where it said nothing. */
  said_before: string | null
  archived_at: number | null
  /** Up to which event the files of the run have been written; null before the first. */
  files_after: string | null
  created_at: number
  updated_at: number
  ended_at: number | null
}

/** A piece of work on a run's board. */
export interface NodeRow {
  id: string
  run_id: string
  project_id: string
  /** Its place in the order in which the nodes of the run were made. */
  number: number
  parent_node_id: string | null
  /** How many nodes are above it. */
  depth: number
  /** The session whose call made it, and the call. */
  made_by: string
  call_id: string
  spec: string
  status: NodeStatus
  reason: string | null
  summary: string | null
  stage_id: string | null
  checkpointed_at: number | null
  /** Who is to do it, or does it. */
  worker: string | null
  /** When the board gave it to its worker; null before that. */
  assigned_at: number | null
  /** The task as which it is worked on. */
  task_id: string | null
  /** Why it is being stopped, once somebody called it off while it was worked on. */
  stop_reason: string | null
  /** 1 once whoever made it was told how it stands. */
  told: number
  /** Which published files of other nodes it builds on, by name, as JSON. */
  refs: string
  /** 1 where one model call without tools does it. */
  single: number
  /** 1 once its worker was reminded to publish. */
  reminded: number
  /** When its worker began to hand it over; from then on its folder is sealed. */
  publishing_at: number | null
  /** When what it hands over was sealed and written down. */
  published_at: number | null
  /** 1 where what it hands over is not all that was wanted. */
  partial: number
  /** What it hands over, as JSON. */
  files: string
  created_at: number
  started_at: number | null
  finished_at: number | null
  updated_at: number
}

/** One node begins only when the other has finished. */
export interface NodeDepRow {
  run_id: string
  node_id: string
  depends_on: string
}

/** Nodes whose results the coordinator wants together. */
export interface StageRow {
  id: string
  run_id: string
  name: string
  status: StageStatus
  policy: CheckpointPolicy
  deadline_at: number
  /** How many model calls each of its nodes may make; null for what its agent allows. */
  max_iterations: number | null
  assessment: string | null
  call_id: string
  /** 1 once the coordinator was told. */
  told: number
  created_at: number
  ended_at: number | null
}

/** What a worker proposes to do next. */
export interface SuggestionRow {
  run_id: string
  node_id: string
  call_id: string
  worker: string
  suggestion: string
  /** 1 once the coordinator was told. */
  told: number
  created_at: number
}

/** A named member of a run, reused from node to node. */
export interface WorkerRow {
  run_id: string
  name: string
  agent: string
  model: string | null
  /** Made with its first node. */
  session_id: string | null
  /** What the coordinator was allowed, as JSON: the worker can do no more. */
  makers: string
  /** Who it is, in the coordinator's words. */
  identity: string | null
  kind: WorkerKind
  /** 1 where what it writes to its memory goes to the memory of its agent, for later runs too. */
  may_write_memory: number
  call_id: string | null
  created_at: number
  retired_at: number | null
}
