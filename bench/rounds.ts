/** Runs every variant once per round; each round begins with another variant. */
export async function interleave<V extends string, R>(
  variants: readonly V[],
  rounds: number,
  run: (variant: V, round: number) => Promise<R>,
): Promise<Record<V, R[]>> {
  const results = Object.fromEntries(variants.map((variant) => [variant, []])) as unknown as Record<V, R[]>
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < variants.length; at++) {
      const variant = variants[(at + round) % variants.length]!
      results[variant].push(await run(variant, round))
    }
  }
  return results
}
