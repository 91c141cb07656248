import type { z } from 'zod'
import type { RouteName, RouteOf } from '../contract/routes/index.ts'
import type { AnswerOf } from '../contract/routes/route.ts'

/** The types of a call, made from the route that the call names. */

/** What comes back. */
export type Answered<N extends RouteName> = AnswerOf<RouteOf<N>>

/** What a call is given. The argument may be left out where the route needs nothing. */
export type Arguments<N extends RouteName> =
  Nothing extends Given<RouteOf<N>> ? [given?: Given<RouteOf<N>>] : [given: Given<RouteOf<N>>]

/** The routes that answer with a page of a list. */
export type ListName = {
  [N in RouteName]: N extends `GET ${string}` ? (Answered<N> extends Page ? N : never) : never
}[RouteName]
export type Item<N extends ListName> = Answered<N> extends { items: readonly (infer T)[] } ? T : never

type Page = { items: unknown[]; nextCursor?: string | undefined } & { seq?: never; problems?: never }

/** Route by route: of all at once it would be every params with every query and every body, which takes minutes to check. */
type Given<R> = R extends unknown ? Params<R> & Query<R> & Body<R> & CallOptions : never

interface CallOptions {
  /** How long the server may take to answer; 30 s unless given. */
  readonly timeoutMs?: number
}

type Nothing = Record<never, never>

type Params<R> = R extends { readonly params: infer S extends z.ZodObject } ? { readonly params: z.input<S> } : Nothing

type Query<R> = R extends { readonly query: infer S extends z.ZodObject }
  ? Nothing extends Asked<S>
    ? { readonly query?: Asked<S> }
    : { readonly query: Asked<S> }
  : Nothing

type Body<R> = R extends { readonly body: infer S extends z.ZodType }
  ? R extends { readonly bodyOptional: true }
    ? { readonly body?: z.input<S> }
    : { readonly body: z.input<S> }
  : Nothing

/** The values as the server will see them, each optional where the route says so. The client writes them as text. */
type Asked<S extends z.ZodObject> = {
  readonly [K in keyof z.input<S>]: undefined extends z.input<S>[K]
    ? z.output<S>[K & keyof z.output<S>] | undefined
    : z.output<S>[K & keyof z.output<S>]
}
