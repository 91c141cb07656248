import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './tables.ts'

const SHAPES_KEPT = 50

interface Prepared<R> {
  readonly query: CompiledQuery<R>
  /** For each parameter of the statement, which value of the arguments it is. */
  readonly places: readonly number[]
}

/**
 * A statement that is built once for each shape of its arguments; after that only its values are new. Building one costs
 * more than SQLite needs to run it. Every argument must end up as parameters: none may decide what is built.
 */
export function prepared<A extends readonly unknown[], R>(build: (db: Db, ...args: A) => Compilable<R>) {
  // By dialect: a transaction of PostgreSQL is a new Db with the adapter of the old one.
  const kept = new WeakMap<object, Map<string, Prepared<R>>>()

  return async (db: Db, ...args: A): Promise<R[]> => {
    const { adapter } = db.getExecutor()
    const shapes = kept.get(adapter) ?? new Map<string, Prepared<R>>()
    kept.set(adapter, shapes)
    const values: unknown[] = []
    const shape = flatten(args, values)
    let known = shapes.get(shape)
    if (known === undefined) {
      known = prepare(build, db, args)
      if (shapes.size >= SHAPES_KEPT) shapes.clear()
      shapes.set(shape, known)
    }
    const parameters = known.places.map((place) => values[place])
    return (await db.executeQuery({ ...known.query, parameters })).rows
  }
}

interface Mark {
  readonly place: number
}

/** Builds it with marks in place of the values, and looks where they come out. */
function prepare<A extends readonly unknown[], R>(build: (db: Db, ...args: A) => Compilable<R>, db: Db, args: A): Prepared<R> {
  let count = 0
  const marked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(marked)
    if (value === undefined) return undefined
    if (!isRow(value)) return { place: count++ } satisfies Mark
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, marked(entry)]))
  }
  const query = build(db, ...(marked(args) as A)).compile()
  return { query, places: query.parameters.map((mark) => (mark as Mark).place) }
}

/** The values in order, and the names and lengths around them. */
function flatten(value: unknown, into: unknown[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => flatten(item, into)).join()}]`
  if (value === undefined) return '?'
  if (!isRow(value)) {
    into.push(value)
    return ''
  }
  let shape = ''
  for (const key in value) shape += `${key}:${flatten(value[key], into)};`
  return shape
}

const isRow = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
