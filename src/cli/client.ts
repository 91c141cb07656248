import type { ErrorBody } from '../contract/api.ts'
import type { Acting, Cli } from './cli.ts'
import { exits, Failure } from './failure.ts'
import { reachServer } from './server.ts'
import type { Sent } from './transport.ts'

export type Query = Record<string, string | number | boolean | undefined>

/** The HTTP API, as the person at this terminal or as the session whose token was given. */
export interface Client {
  readonly url: string
  readonly token: string
  get<T>(path: string, query?: Query, more?: RequestOptions): Promise<T>
  post<T>(path: string, body?: unknown, more?: RequestOptions): Promise<T>
  patch<T>(path: string, body: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
  /** The snapshot and the position of the event stream it belongs to. */
  snapshot<T>(path: string, query?: Query): Promise<{ value: T; seq: string | undefined }>
  text(path: string, query?: Query): Promise<string>
}

interface RequestOptions {
  /** How long the server may take to answer; 30 s unless told. */
  readonly timeoutMs?: number
}

/** Talks to the running server, and starts one if the person allows it; or to the one that gave us a session's token. */
export async function connect(cli: Cli): Promise<Client> {
  if (cli.acting) return clientOver(cli, cli.acting.token, await wayOf(cli.acting))
  const { url, token } = await reachServer(cli)
  return clientOf(cli, url, token)
}

/** How requests get to a server. */
interface Way {
  readonly url: string
  send(target: URL, request: Sent): Promise<Response>
  /** Where it is now that it did not answer. */
  again(): Promise<string>
}

async function wayOf(acting: Acting): Promise<Way> {
  const url = acting.socket ? 'http://localhost' : acting.url
  if (url === undefined) throw noServer(acting)
  const { sendOver } = await import('./transport.ts')
  return {
    url,
    send: sendOver(acting.socket),
    again: async () => url,
  }
}

export const clientOf = (cli: Cli, url: string, token: string): Client =>
  clientOver(cli, token, { url, send: fetch, again: async () => (await reachServer(cli)).url })

function clientOver(cli: Cli, token: string, way: Way): Client {
  let url = way.url
  const lost = (error: unknown): Failure =>
    cli.acting && !isTimeout(error) ? noServer(cli.acting) : unreachable(url, error)

  async function call(
    method: string,
    path: string,
    query: Query = {},
    body?: unknown,
    timeoutMs = 30_000,
  ): Promise<Response> {
    const send = (): Promise<Response> => {
      const target = new URL(path, url)
      for (const [key, value] of Object.entries({ project: cli.project, ...query })) {
        if (value !== undefined) target.searchParams.set(key, String(value))
      }
      return way.send(target, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
        ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      })
    }
    const response = await send().catch(async (error: unknown) => {
      // Killed since, and its successor may have another port. What may have arrived is sent again only if that is harmless.
      if (!wasRefused(error) && !(wasLost(error) && isRepeatable(method, body))) throw lost(error)
      url = await way.again()
      return send().catch((again: unknown) => {
        throw lost(again)
      })
    })
    if (!response.ok) throw await refusal(response)
    return response
  }
  const json = async <T>(response: Promise<Response>): Promise<T> => (await (await response).json()) as T

  return {
    get url() {
      return url
    },
    token,
    get: (path, query, more) => json(call('GET', path, query, undefined, more?.timeoutMs)),
    post: (path, body, more) => json(call('POST', path, {}, body, more?.timeoutMs)),
    patch: (path, body) => json(call('PATCH', path, {}, body)),
    delete: (path) => json(call('DELETE', path)),
    async snapshot<T>(path: string, query?: Query) {
      const response = await call('GET', path, query)
      return { value: (await response.json()) as T, seq: response.headers.get('troupe-seq') ?? undefined }
    },
    text: async (path, query) => (await call('GET', path, query)).text(),
  }
}

const PAGES = 50

/** Every item of a list, page by page; bounded, because a person or a script will look at them all. */
export async function all<T>(client: Client, path: string, query: Query = {}): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await client.get<{ items: T[]; nextCursor?: string }>(path, { limit: 200, ...query, cursor })
    items.push(...answer.items)
    cursor = answer.nextCursor
    if (!cursor) break
  }
  return items
}

/** A way out for programs that speak HTTP; nobody types that at a prompt. */
const namesRoute = /\b(GET|POST|PUT|PATCH|DELETE) \/api\//

async function refusal(response: Response): Promise<Failure> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as ErrorBody
    const hint = error.hint && !namesRoute.test(error.hint) ? { hint: error.hint } : {}
    return new Failure(exits.failed, error.message, { code: error.code, ...hint })
  } catch {
    return new Failure(exits.failed, `The server answered ${response.status} with something that is not Troupe's.`, {
      code: 'cli.bad_answer',
      hint: 'Another program may have taken its port: "troupe status" starts a server of your own.',
    })
  }
}

const causeOf = (error: unknown): string | undefined =>
  ((error as { cause?: unknown }).cause as NodeJS.ErrnoException | undefined)?.code ??
  (error as NodeJS.ErrnoException).code

/** Nobody was there to take it. */
const wasRefused = (error: unknown): boolean => ['ECONNREFUSED', 'ENOENT'].includes(causeOf(error) ?? '')

/** It was taken, and the answer never came. */
const wasLost = (error: unknown): boolean => ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(causeOf(error) ?? '')

/** Reading changes nothing, and the same clientId again gets the first result. */
const isRepeatable = (method: string, body: unknown): boolean =>
  method === 'GET' || (typeof body === 'object' && body !== null && 'clientId' in body)

const noServer = ({ socket, url }: Acting): Failure =>
  new Failure(
    exits.unreachable,
    `No server answers at ${socket ?? url ?? 'TROUPE_SOCKET or TROUPE_URL, which are not set'}.`,
    {
      code: 'cli.no_server',
      hint: 'TROUPE_TOKEN is set: this command acts for a session and starts no server. Unset it to act as the person.',
    },
  )

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function unreachable(url: string, error: unknown): Failure {
  if (isTimeout(error)) {
    return new Failure(exits.unreachable, `The server at ${url} did not answer in time.`, {
      code: 'cli.timeout',
      hint: 'See what it is doing with "troupe logs"; "troupe down" and "troupe up" start it again, nothing is lost.',
    })
  }
  return new Failure(exits.unreachable, `The connection to the server at ${url} was lost.`, {
    code: 'cli.unreachable',
    hint: 'Run the command again: it starts the server if it is gone. What was accepted is not lost.',
  })
}
