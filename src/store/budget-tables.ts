/** room: others hold the money for a moment. raise: there is not enough, and only a person can give more. */
export type BudgetNeed = 'room' | 'raise'

/** A limit in money. Amounts are billionths of a dollar: whole numbers add up exactly. */
export interface BudgetRow {
  /** turn:… · task:… · agent:…:day · day:… */
  id: string
  limit_nanos: number
  /** What a person raised it to; the larger of the two counts. */
  raised_nanos: number
  /** What requests that ended have cost. */
  spent_nanos: number
  /** What requests in flight may cost at most. */
  reserved_nanos: number
  /** The question to the person, while it is open. */
  inbox_id: string | null
  /** The person wants no more spent: what does not fit ends. */
  stopped_at: number | null
  created_at: number
}

/** The money for one request in flight; the row goes when the request is settled. */
export interface ReservationRow {
  /** That of the request. */
  id: string
  session_id: string
  turn_id: string
  /** The host whose process makes the request. */
  host: string
  nanos: number
  /** The budgets it counts against, as a JSON list of ids. */
  budgets: string
  at: number
}
