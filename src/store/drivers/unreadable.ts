/** Where something is stored that could not be read. */
interface RowPlace {
  readonly table: string
  readonly key: string
  readonly column: string
}

/** As many as a person would look at; a database with more is broken as a whole. */
const KEPT = 1000

const found = new Map<string, RowPlace>()
const listeners = new Set<(place: RowPlace) => void>()

/** Reads a column, or gives `otherwise` and reports the place once, so that one bad value does not stop the rest. */
export function readable<T>(place: RowPlace, read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    report(place)
    return otherwise
  }
}

export const readJson = <T>(place: RowPlace, text: string, otherwise: T): T =>
  readable(place, () => JSON.parse(text), otherwise)

/** The same for a column that holds an object. */
export const readObject = <T extends object>(place: RowPlace, text: string): Partial<T> =>
  readable(place, () => objectOrThrow(JSON.parse(text)), {})

function objectOrThrow(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new TypeError('This is no object.')
}

function report(place: RowPlace): void {
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
