/** Tokens, as columns. */
export interface UsedColumns {
  tokens_input: number
  tokens_output: number
  tokens_cached: number
  tokens_reasoning: number
}

/** What a session, a turn or a task cost, as columns. */
export interface SpentColumns {
  /** Its own, as far as prices are known. */
  cost_usd: number
  /** With what its children cost. */
  total_cost_usd: number
  /** Tokens of it and its children whose price nobody knows. */
  unpriced_tokens: number
}

/** One request to a model and what it used, whatever came of it. Never changed, and not cleared with the log. */
export interface RequestRow extends UsedColumns {
  /** The turn, the model call in it, and which try of that. */
  id: string
  session_id: string
  turn_id: string
  model: string
  /** answered (it left a message), failed, aborted. */
  outcome: string
  at: number
  /** Null: nobody knows the price. */
  cost_usd: number | null
}
