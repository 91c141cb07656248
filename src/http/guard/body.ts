import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { BODY_LIMIT } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import { everyRoute } from '../../contract/routes/index.ts'
import { badKeys, mayHaveBadKeys } from '../../lib/bad-keys.ts'
import { depthOf, LEVELS } from '../../lib/json.ts'
import type { HttpEnv } from '../context.ts'
import { notJson, tooLarge } from '../errors.ts'

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Takes JSON only: a browser lets a page of another site send forms and text unasked, but not JSON. Bytes and nesting are
 * bounded before anything else looks at the body; the routes then parse what was read here.
 */
export const jsonBody: MiddlewareHandler<HttpEnv> = async (c, next) => {
  if (bodiless.has(c.req.method)) return next()
  const type = c.req.header('content-type')
  if (type !== undefined && !/^application\/json *(;|$)/i.test(type) && !isForm(type, c.req.path)) throw notJson()
  const limit = limitOf(c.req.method, c.req.path)
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit)
  const text = await readText(c.env.incoming, limit)
  if (type === undefined && text !== '') throw notJson()
  if (depthOf(text) > LEVELS) throw tooDeep()
  if (hasNul(text)) throw nulIn('body')
  refuseBadKeys(text)
  // Hono keeps promises here, whatever its types say. JSON of no characters means no fields.
  c.req.bodyCache.text = Promise.resolve(text === '' && type !== undefined ? '{}' : text) as unknown as string
  return next()
}

/** The page behind a link sends a form; its address has a code that no other page knows. */
const isForm = (type: string, path: string): boolean =>
  path.startsWith('/answer/') && /^application\/x-www-form-urlencoded *(;|$)/i.test(type)

const longer = everyRoute.flatMap(([name, { bodyBytes }]) =>
  bodyBytes === undefined ? [] : [{ bodyBytes, pattern: new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }],
)

const limitOf = (method: string, path: string): number =>
  longer.find(({ pattern }) => pattern.test(`${method} ${path}`))?.bodyBytes ?? BODY_LIMIT

/** No text of an address is kept or looked for that a database cannot hold. */
export const nulFreeAddress: MiddlewareHandler<HttpEnv> = async (c, next) => {
  if (c.req.url.includes('%00')) throw nulIn('address')
  return next()
}

/** Whether some text in this JSON has a NUL in it, which PostgreSQL cannot keep. */
export const hasNul = (json: string): boolean => json.includes('u0000') && /(?<!\\)(?:\\\\)*\\u0000/.test(json)

/** A route that takes no body looks at it all the same: a client that sends broken JSON meant something. */
export const unreadBody: MiddlewareHandler<HttpEnv> = async (c, next) => {
  if (!bodiless.has(c.req.method) && (await c.req.text()) !== '')
    await c.req.json().catch(() => Promise.reject(brokenJson()))
  return next()
}

/** A text that is not JSON is refused by whoever parses it. */
function refuseBadKeys(text: string): void {
  if (!mayHaveBadKeys(text)) return
  const [path] = badKeys(parsed(text))
  if (path !== undefined) throw badKey(path)
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** From the socket's own stream: a web stream in between costs more than a usual body. */
function readText(incoming: IncomingMessage, limit: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Uint8Array[] = []
  let size = 0
  const take = (chunk: Uint8Array): void => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= limit) return
    // What is left is not read before the answer is sent.
    incoming.off('data', take).pause()
    reject(tooLarge(limit))
  }
  incoming.on('data', take)
  incoming.once('end', () => resolve(Buffer.concat(chunks).toString()))
  incoming.once('error', reject)
  return promise
}

// What is stored has to be written as JSON again, and writing deep JSON exhausts the stack.
const tooDeep = (): AppError =>
  new AppError('request.invalid', `The body is nested deeper than ${LEVELS} levels.`, { hint: 'Send flatter JSON.' })

const nulIn = (place: 'address' | 'body'): AppError =>
  new AppError('request.invalid', `The ${place} has a NUL character in it, which no text can keep.`, {
    hint: 'Leave it out; put bytes into a file of the workspace and name the file.',
  })

const brokenJson = (): AppError =>
  new AppError('request.invalid', 'The body is not valid JSON.', { hint: 'This route needs no body: leave it out.' })

const badKey = (path: readonly string[]): AppError =>
  new AppError(
    'request.invalid',
    `The field "${path.join('.').slice(0, 200)}" of the body is not valid: no field has that name.`,
    {
      hint: 'Leave it out.',
    },
  )
