import type { z } from 'zod'

/**
 * Who may call a route. A person, with the owner's token or a device's, may call every route. A session's token opens the
 * routes of `session`, and those of `itself` whose `{ref}` names that session. `anyone` needs no token.
 */
type Who = 'anyone' | 'person' | 'session' | 'itself'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** All that is said about one route; the server is checked against it, the client and OpenAPI are made from it. */
export interface ApiRoute {
  readonly summary: string
  readonly who: Who
  /** What stands in the braces of the path. */
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  readonly bodyOptional?: true
  /** How long the body may be, where it may be longer than that of other routes. */
  readonly bodyBytes?: number
  /** JSON, with status 200. */
  readonly answer?: z.ZodType
  /** The route may answer with status 202 instead; this says what that means. */
  readonly accepted?: string
  /** In place of `answer`, for what is not JSON: what comes with each status. */
  readonly raw?: Readonly<Record<number, string>>
}

/** By method and path, as one types it: `GET /api/sessions/{ref}`. */
export type RouteTable = Readonly<Record<`${Method} /${string}`, ApiRoute>>

/** What a route answers with; text where it is not JSON. */
export type AnswerOf<R> = R extends { readonly answer: infer S extends z.ZodType } ? z.output<S> : string
