import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Env } from '../context.ts'

/**
 * A parameter that a route does not take is refused by name: a filter that is ignored in silence gives a wrong list. Looked
 * up in the routes' own descriptions, so that none can leave it out.
 */
export function knownQuery(app: OpenAPIHono<Env>): MiddlewareHandler<Env> {
  let taken: Map<string, readonly string[]> | undefined
  return async (c, next) => {
    const given = Object.keys(c.req.queries())
    if (given.length > 0) {
      taken ??= queriesOf(app)
      const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL')
      const known = route && taken.get(`${route.method} ${route.path}`)
      if (known) refuseOthers(given, known)
    }
    await next()
  }
}

/** What may stand behind the address of the socket, which is no route. */
export const socketQuery = ['after', 'types', 'session', 'task', 'run', 'node', 'deltas', 'project'] as const

const SHOWN = 5

export function refuseOthers(given: readonly string[], known: readonly string[]): void {
  const others = given.filter((name) => !known.includes(name))
  if (others.length === 0) return
  const names = others.slice(0, SHOWN).map((name) => `"${name.slice(0, 40)}"`)
  const [noun, verb] = others.length === 1 ? ['parameter', 'is'] : ['parameters', 'are']
  throw new AppError('request.invalid', `The query ${noun} ${names.join(', ')} ${verb} not known here.`, {
    hint: `This route takes: ${known.join(', ')}.`,
    details: { unknown: others.slice(0, SHOWN), known },
  })
}

/** Every request may name its project. */
function queriesOf(app: OpenAPIHono<Env>): Map<string, readonly string[]> {
  const routes = app.openAPIRegistry.definitions.flatMap((part) => (part.type === 'route' ? [part.route] : []))
  return new Map(
    routes.map(({ method, path, request }) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      [...new Set(['project', ...Object.keys((request?.query as z.ZodObject | undefined)?.shape ?? {})])],
    ]),
  )
}
