import type { Compilable, CompiledQuery } from 'kysely'
import { type Mask, maskJson } from '../../lib/mask.ts'
import type { Db } from '../tables.ts'
import type { Masked } from './masking.ts'
import { nameStatement } from './named.ts'
import { directOf } from './statements.ts'
import { wireOf } from './wire.ts'

const SHAPES_KEPT = 50

/**
 * A statement that is built once for each shape of its arguments and then only gets new values: building it costs more
 * than SQLite needs to run it. Every argument must end up as parameters and must not decide what is built.
 */
export function prepared<A extends readonly unknown[], R>(build: (db: Db, ...args: A) => Compilable<R>) {
  // The adapter is the key, because a PostgreSQL transaction is a new Db with the same adapter.
  const kept = new WeakMap<object, Map<string, Built<R>>>()

  return async (db: Db, ...args: A): Promise<R[]> => {
    const { adapter } = db.getExecutor()
    const shapes = kept.get(adapter) ?? new Map<string, Built<R>>()
    kept.set(adapter, shapes)
    const values: unknown[] = []
    const shape = flatten(args, values)
    let built = shapes.get(shape)
    if (built === undefined) {
      built = read(build(db, ...(marked(args) as A)).compile() as CompiledQuery<R>)
      if (shapes.size >= SHAPES_KEPT) shapes.clear()
      shapes.set(shape, built)
      if (directOf(db) === undefined) nameStatement(built.query.sql)
    }
    const { query, places, masks, hasAnswer } = built
    const parameters = places.map((place, at) => {
      if (place < 0) return query.parameters[at]
      const value = values[place]
      const mask = masks[at]
      return mask !== undefined && typeof value === 'string' ? maskJson(mask, value) : value
    })
    const direct = directOf(db)
    if (direct === undefined) {
      const sent = wireOf(db)?.send(query.sql, parameters, hasAnswer) as Promise<R[]> | undefined
      return sent ?? (await db.executeQuery<R>({ ...query, parameters })).rows
    }
    const statement = direct(query.sql)
    if (statement.reader) return statement.all(parameters) as R[]
    statement.run(parameters)
    return []
  }
}

/** Keeps a prepared statement for each of the few values that are written into its text, such as a limit. */
export function preparedFor<K, A extends readonly unknown[], R>(
  build: (value: K) => (db: Db, ...args: A) => Compilable<R>,
) {
  const kept = new Map<K, ReturnType<typeof prepared<A, R>>>()
  return (value: K) => {
    const known = kept.get(value) ?? prepared(build(value))
    if (kept.size >= SHAPES_KEPT) kept.clear()
    kept.set(value, known)
    return known
  }
}

interface Built<R> {
  readonly query: CompiledQuery<R>
  /** The place of the value that each parameter takes; below zero the parameter is a constant of the statement. */
  readonly places: readonly number[]
  /** The mask for each value whose column is masked. */
  readonly masks: readonly (Mask | undefined)[]
  /** It returns rows. */
  readonly hasAnswer: boolean
}

/** A parameter that is not a mark is a constant of the statement, and never an object. */
const read = <R>(query: CompiledQuery<R>): Built<R> => ({
  query,
  places: query.parameters.map((value) => (isObject(value) ? (value as unknown as Mark).place : -1)),
  masks: query.parameters.map((value) => (isObject(value) ? (value as unknown as Mark).mask : undefined)),
  hasAnswer: !isWrite(query.query.kind) || ('returning' in query.query && query.query.returning !== undefined),
})

const isWrite = (kind: string): boolean => /^(Insert|Update|Delete)QueryNode$/.test(kind)

/** Stands for the value at this place until the statement is run. An undefined column has no mark and stays out. */
interface Mark extends Masked {
  readonly place: number
}

function marked(args: unknown, next = { place: 0 }): unknown {
  if (args === undefined) return undefined
  if (Array.isArray(args)) return args.map((item) => marked(item, next))
  if (!isObject(args)) return { place: next.place++ } satisfies Mark
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, marked(value, next)]))
}

/** Collects the values in the order of their marks, and returns the structure around them as a key. */
function flatten(args: unknown, values: unknown[]): string {
  if (args === undefined) return '?'
  if (!isObject(args)) {
    values.push(args)
    return ''
  }
  let shape = ''
  if (Array.isArray(args)) {
    for (const item of args) shape += `${flatten(item, values)},`
    return `[${shape}]`
  }
  for (const key in args) shape += `${key}:${flatten(args[key], values)};`
  return shape
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
