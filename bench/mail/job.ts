export interface Times {
  /** Milliseconds, one of each a sample, taken one after the other. */
  readonly bare: number[]
  readonly accepted: number[]
  readonly idle: number[]
  readonly busy: number[]
}

export interface Footprint {
  readonly sessions: number
  readonly heapBytes: number
  readonly rssBytes: number
  readonly diskBytes: number
  /** Of the whole process, in so long a time of doing nothing. */
  readonly idleCpuMs: number
}

export const IDLE_MS = 5000
export const HOLD = 'hold'
export const BODY = 'A message of about the length that one agent writes to another when it asks for something.'
