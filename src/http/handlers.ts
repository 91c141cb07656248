import type { Context } from 'hono'
import type { z } from 'zod'
import type { HttpEnv } from './context.ts'

type Parsed<R, Part extends string> = R extends { readonly [P in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** A request whose parts were checked against the route. */
export interface RouteCall<R> {
  readonly c: Context<HttpEnv>
  readonly params: Parsed<R, 'params'>
  readonly query: Parsed<R, 'query'>
  readonly headers: Parsed<R, 'headers'>
  readonly body: Parsed<R, 'body'>
}

type Returned<R> = R extends { readonly answer: infer S extends z.ZodType } ? Frozen<z.output<S>> : Response

/** A route's own function. It returns what the route answers with, or a response where the answer is not JSON. */
type Handler<R> = (call: RouteCall<R>) => Returned<R> | Promise<Returned<R>>

/** One handler for each route of a table, and no others. */
export type Handlers<Table> = { readonly [Name in keyof Table]: Handler<Table[Name]> }

/** A handler may return a list that others own, because an answer is only sent and never changed. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T
