import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi'
import type { z } from 'zod'
import { ErrorBody } from '../contract/api.ts'
import type { ApiRoute, RouteTable } from '../contract/routes/route.ts'
import type { HttpEnv } from './context.ts'
import { unreadBody } from './guard/body.ts'
import { knownQuery } from './guard/query.ts'
import type { RouteCall } from './handlers.ts'

/** The handler of any route; `Handlers` has checked that it fits the route of its name. */
type AnyHandler = (call: RouteCall<never>) => unknown

/** Serves the routes of one noun: each request is checked against its route, handled, and answered with JSON. */
export function register(
  app: OpenAPIHono<HttpEnv>,
  noun: string,
  table: RouteTable,
  handlers: Readonly<Record<string, AnyHandler>>,
): void {
  for (const [name, route] of Object.entries(table)) {
    const handle = handlers[name]!
    app.openapi(
      { ...describe(name, noun, route), middleware: route.body ? knownQuery(route) : [knownQuery(route), unreadBody] },
      async (c) => {
        const part = (target: string) => c.req.valid(target as never)
        const answer = await handle({
          c,
          params: part('param'),
          query: part('query'),
          headers: part('header'),
          body: part('json'),
        })
        return answer instanceof Response ? answer : c.json(answer)
      },
    )
  }
}

/** A route in the words of OpenAPI. */
function describe(name: string, noun: string, route: ApiRoute): RouteConfig {
  const [method, path] = name.split(' ')
  const { summary, who, params, query, headers, body } = route
  return {
    method: method!.toLowerCase() as RouteConfig['method'],
    path: path!,
    tags: [noun],
    summary,
    ...(who === 'anyone' ? { security: [] } : {}),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(headers && { headers }),
      ...(body && { body: { required: !route.bodyOptional, content: { 'application/json': { schema: body } } } }),
    },
    responses: responsesOf(route),
  }
}

function responsesOf({ answer, accepted, raw = {} }: ApiRoute): RouteConfig['responses'] {
  if (!answer) return Object.fromEntries(Object.entries(raw).map(([status, description]) => [status, { description }]))
  return {
    ...(accepted && { 202: json(answer, accepted) }),
    200: json(answer, 'Done'),
    default: json(ErrorBody, 'What went wrong and the way out'),
  }
}

const json = (schema: z.ZodType, description: string) => ({ description, content: { 'application/json': { schema } } })
