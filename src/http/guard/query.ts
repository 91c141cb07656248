import type { MiddlewareHandler } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { Subscribe } from '../../contract/frames.ts'
import type { ApiRoute } from '../../contract/routes/route.ts'
import type { HttpEnv } from '../context.ts'

/** Refuses a parameter that the route does not take: a filter that is ignored in silence gives a wrong list. */
export function knownQuery({ query }: ApiRoute): MiddlewareHandler<HttpEnv> {
  // Every request may name its project.
  const known = [...new Set(['project', ...Object.keys(query?.shape ?? {})])]
  return async (c, next) => {
    refuseOthers(Object.keys(c.req.queries()), known)
    await next()
  }
}

/** The parameters of the WebSocket's address, which no route describes. */
export const socketQuery = Object.keys(Subscribe.omit({ op: true, id: true }).shape)

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
