/** Takes `count` of the items; the same seed takes the same ones. */
export function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = randomFrom(seed)
  const left = [...items]
  const taken: T[] = []
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return taken
}

/** Mulberry32: small, and the same numbers on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
