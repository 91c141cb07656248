/** Where something is stored that could not be read. */
export interface RowPlace {
  readonly table: string
  readonly key: string
  readonly column: string
}

/** As many as a person would look at; a database with more is broken as a whole. */
const KEPT = 1000

const found = new Map<string, RowPlace>()
const listeners = new Set<(place: RowPlace) => void>()

/**
 * Reads JSON that must fit; `otherwise` stands for what does not, and its place is reported once, so that one bad value
 * does not stop the rest.
 */
export function readJson<T>(place: Place, text: string, fits: (value: unknown) => boolean, otherwise: T): T {
  try {
    const value = JSON.parse(text)
    if (fits(value)) return value
  } catch {
    // It is reported as what is JSON of something else.
  }
  reportUnreadable(typeof place === 'function' ? place() : place)
  return otherwise
}

/** Who reads much says how its place is made: nearly always nobody needs it. */
type Place = RowPlace | (() => RowPlace)

/** The same for a column that holds an object. */
export const readObject = <T extends object>(place: RowPlace, text: string): Partial<T> =>
  readJson<Partial<T>>(place, text, isObject, {})

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function reportUnreadable(place: RowPlace): void {
  const name = `${place.table} ${place.key} ${place.column}`
  if (found.has(name) || found.size >= KEPT) return
  found.set(name, place)
  for (const listener of listeners) listener(place)
}

/** Every unreadable place that this process has met. */
export const unreadable = (): readonly RowPlace[] => [...found.values()]

export function onUnreadable(listener: (place: RowPlace) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
