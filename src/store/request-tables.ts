/** Tokens, as columns. */
export interface UsedColumns {
  tokens_input: number
  tokens_output: number
  tokens_cached: number
  tokens_reasoning: number
}

export const nothingUsed: Readonly<UsedColumns> = {
  tokens_input: 0,
  tokens_output: 0,
  tokens_cached: 0,
  tokens_reasoning: 0,
}

/** What a session, a turn or a task cost, as columns. */
export interface SpentColumns {
  /** Its own, as far as prices are known. */
  cost_usd: number
  /** Its own and that of its children. */
  total_cost_usd: number
  /** Tokens of it and its children whose price nobody knows. */
  unpriced_tokens: number
}

export const nothingSpent: Readonly<SpentColumns> = { cost_usd: 0, total_cost_usd: 0, unpriced_tokens: 0 }

/** One request to a model and what it used, whatever came of it. A row never changes and outlives a cleared log. */
export interface RequestRow extends UsedColumns {
  /** Made of the turn, the model call in it, and the try of that call. */
  id: string
  session_id: string
  turn_id: string
  /** The node of a run on which its session worked then, or had worked last. */
  node_id: string | null
  model: string
  /** answered (it left a message), compaction (it made a history shorter), title (of a run), failed, aborted. */
  outcome: string
  at: number
  /** Null: nobody knows the price. */
  cost_usd: number | null
}
