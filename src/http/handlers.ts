import type { Context } from 'hono'
import type { z } from 'zod'
import type { Env } from './context.ts'

type Parsed<R, Part extends string> = R extends { readonly [P in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** A request whose parts were checked against the route. */
export interface Call<R> {
  readonly c: Context<Env>
  readonly params: Parsed<R, 'params'>
  readonly query: Parsed<R, 'query'>
  readonly headers: Parsed<R, 'headers'>
  readonly body: Parsed<R, 'body'>
}

type Returned<R> = R extends { readonly answer: infer S extends z.ZodType } ? Frozen<z.output<S>> : Response

/** A route's own function: it returns what the route answers with, or the response itself where that is not JSON. */
export type Handler<R> = (call: Call<R>) => Returned<R> | Promise<Returned<R>>

/** One for each route of a table, and no others. */
export type Handlers<Table> = { readonly [Name in keyof Table]: Handler<Table[Name]> }

/** What is only sent may be anybody's list. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T
