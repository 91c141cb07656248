/** How much a soak does: `TROUPE_SOAK_ROUNDS` kills or repetitions, `TROUPE_SOAK_MINUTES` at most for each test. */
export const rounds = numberFrom('TROUPE_SOAK_ROUNDS', 200)
export const minutes = numberFrom('TROUPE_SOAK_MINUTES', 20)
export const sessions = numberFrom('TROUPE_SOAK_SESSIONS', 8)
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
