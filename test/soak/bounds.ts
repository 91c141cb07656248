/** How much a soak does. Without a word it is what is asked for: hours. */

/** Of the faults of a campaign: 1 is as many as are asked for. */
export const share = numberFrom('TROUPE_SOAK_SHARE', 1)
/** How often a crash is made at every point. */
export const repeats = numberFrom('TROUPE_SOAK_REPEATS', 20)
/** At most, for each test. */
export const minutes = numberFrom('TROUPE_SOAK_MINUTES', 240)
/** Agents at work. */
export const sessions = numberFrom('TROUPE_SOAK_SESSIONS', 20)
/** Messages a second that are sent to all of them together, as long as the server keeps up. */
export const rate = numberFrom('TROUPE_SOAK_RATE', 50)
/** The same seed makes the same choices, though not the same timing. */
export const seed = numberFrom('TROUPE_SOAK_SEED', Math.floor(Math.random() * 2 ** 31))

/** Mulberry32. */
export function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function numberFrom(name: string, fallback: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return fallback
  if (!(Number(text) > 0)) throw new Error(`${name} must be a positive number, not "${text}".`)
  return Number(text)
}
