/** Wall time in milliseconds. Everything that asks what time it is asks a clock, so days can pass in a test. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const iso = (ms: number): string => new Date(ms).toISOString()
