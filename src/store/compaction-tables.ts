/** asked: a person wants it. window: the prompt became too large. refused: the vendor said so. */
export type CompactionWhy = 'asked' | 'window' | 'refused'

/** How the history of a session became shorter for the model. The log stays as it is. */
export interface CompactionRow {
  session_id: string
  /** Counted from 1 in each session. */
  number: number
  /** The turn in which it began; only that turn goes on with it. */
  turn_id: string
  state: 'open' | 'done' | 'failed'
  why: CompactionWhy
  /** What the person wants to be kept above all; empty where they did not say. */
  focus: string
  /** The first message that the model still reads; `summary` stands for all before it. */
  from_seq: number
  /** Of the messages before this one, long results are shown cut. */
  cut_before: number
  /** The end of the log when it was done: answers before this were given to another prompt. */
  at_seq: number
  summary: string
  /** As far as the summary has come. */
  summed_to: number
  /** What the agent wrote to memory before, as JSON. */
  flush: string
  /** Requests that were begun for it. */
  requests: number
  tokens_before: number
  tokens_after: number
  /** Why it failed. */
  reason: string | null
  started_at: number
  ended_at: number | null
}
