/** What one event says: its number, and when we began to make it by the machine's monotonic clock. */
export interface Said {
  readonly n: number
  readonly madeAt: number
}

export const CLIENTS = 100
export const TEXT = 'The benchmark says what many want to hear, in about as many words as events have.'

/** Microseconds; the same clock in every process of one machine. */
export const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n)

/** Makes one event durable and tells everyone. */
export type Make = (said: Said) => Promise<void>

export interface Made {
  readonly url: string
  readonly token: string
  readonly make: Make
  stop(): Promise<void>
}
