export const medianOf = (values: readonly number[] = []): number | undefined => quantileOf(values, 0.5)

/** The value below which this share of the values lies, interpolated between its two neighbours. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low === undefined || high === undefined ? undefined : low + (high - low) * (place - Math.floor(place))
}
