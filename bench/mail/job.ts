export interface Times {
  /** In milliseconds. Each sample adds one value to each list. */
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
  /** What the whole process used while it did nothing for IDLE_MS. */
  readonly idleCpuMs: number
}

export const IDLE_MS = 5000
export const HOLD = 'hold'
export const BODY = 'A message of about the length that one agent writes to another when it asks for something.'
