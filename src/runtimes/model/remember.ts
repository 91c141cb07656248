const KEPT = 100

/** Returns the value of a key, made once; when there are too many, the oldest goes. */
export function remembered<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  if (map.size >= KEPT) map.delete(map.keys().next().value ?? key)
  map.set(key, made)
  return made
}
