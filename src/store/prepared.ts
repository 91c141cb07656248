import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './tables.ts'

const SHAPES_KEPT = 50

/**
 * A statement that is built once for each shape of its arguments; after that only its values are new. Building one costs
 * more than SQLite needs to run it. Every argument must end up as parameters: none may decide what is built.
 */
export function prepared<A extends readonly unknown[], R>(build: (db: Db, ...args: A) => Compilable<R>) {
  // By dialect: a transaction of PostgreSQL is a new Db with the adapter of the old one.
  const kept = new WeakMap<object, Map<string, CompiledQuery<R>>>()

  return async (db: Db, ...args: A): Promise<R[]> => {
    const { adapter } = db.getExecutor()
    const shapes = kept.get(adapter) ?? new Map<string, CompiledQuery<R>>()
    kept.set(adapter, shapes)
    const values: unknown[] = []
    const shape = flatten(args, values)
    let query = shapes.get(shape)
    if (query === undefined) {
      query = build(db, ...(marked(args) as A)).compile() as CompiledQuery<R>
      if (shapes.size >= SHAPES_KEPT) shapes.clear()
      shapes.set(shape, query)
    }
    const parameters = query.parameters.map((value) => (isMark(value) ? values[value.place] : value))
    return (await db.executeQuery<R>({ ...query, parameters })).rows
  }
}

/** Stands for the value at this place until the statement is run; a column without value stays out of the statement. */
interface Mark {
  readonly place: number
}

function marked(args: unknown, next = { place: 0 }): unknown {
  if (args === undefined) return undefined
  if (Array.isArray(args)) return args.map((item) => marked(item, next))
  if (!isObject(args)) return { place: next.place++ } satisfies Mark
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, marked(value, next)]))
}

/** The values in the order of their marks, and what stands around them as a key. */
function flatten(args: unknown, values: unknown[]): string {
  if (args === undefined) return '?'
  if (Array.isArray(args)) return `[${args.map((item) => flatten(item, values)).join()}]`
  if (!isObject(args)) {
    values.push(args)
    return ''
  }
  let shape = ''
  for (const key of Object.keys(args)) shape += `${key}:${flatten(args[key], values)};`
  return shape
}

/** Whatever else a statement holds is a constant of its own, and never an object. */
const isMark = (value: unknown): value is Mark => isObject(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
