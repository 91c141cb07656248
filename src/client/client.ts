import type { RouteName } from '../contract/routes/index.ts'
import type { Answered, Arguments, Item, ListName } from './calls.ts'
import { CallFailure, errorIn } from './failure.ts'
import type { Received, Transport } from './transport.ts'

/** The HTTP API: a route is called by its name, such as `GET /api/sessions/{ref}`, and answers with its own type. */
export interface Client {
  readonly url: string
  readonly token: string
  call<N extends RouteName>(route: N, ...given: Arguments<N>): Promise<Answered<N>>
  /** The answer and the position of the event stream it belongs to. */
  snapshot<N extends RouteName>(route: N, ...given: Arguments<N>): Promise<Snapshot<Answered<N>>>
  /** Every item of a list, read page by page, up to a bound: whoever calls this holds them all in memory. */
  all<N extends ListName>(route: N, ...given: Arguments<N>): Promise<Item<N>[]>
}

interface Snapshot<T> {
  readonly value: T
  readonly seq: string | undefined
}

export interface ClientOptions {
  readonly transport: Transport
  readonly token: string
  /** The folder whose project is meant when a call names no project. */
  readonly project?: string
}

const ANSWER_MS = 30_000
const PAGES = 50

export function createClient({ transport, token, project }: ClientOptions): Client {
  async function request(route: string, { params, query, body, timeoutMs = ANSWER_MS }: Loose = {}): Promise<Received> {
    const [method = '', path = ''] = route.split(' ')
    const asked = searchOf({ project, ...query })
    const response = await transport.send(pathWith(path, params) + (asked && `?${asked}`), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      timeoutMs,
      repeatable: isRepeatable(method, body),
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    if (!response.ok) throw await refusal(response)
    return response
  }

  async function snapshot<T>(route: string, given?: Loose): Promise<Snapshot<T>> {
    const response = await request(route, given)
    // The only place that trusts the type of an answer; the server's handlers are checked against the same routes.
    const text = await response.text()
    const value = (isJson(response) ? JSON.parse(text) : text) as T
    return { value, seq: response.headers.get('troupe-seq') ?? undefined }
  }

  async function all<T>(route: string, given?: Loose): Promise<T[]> {
    const items: T[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const query = { limit: 200, ...given?.query, ...(cursor && { cursor }) }
      const { value } = await snapshot<{ items: T[]; nextCursor?: string }>(route, { ...given, query })
      items.push(...value.items)
      cursor = value.nextCursor
      if (!cursor) break
    }
    return items
  }

  return {
    get url() {
      return transport.url
    },
    token,
    call: async <N extends RouteName>(route: N, ...[given]: Arguments<N>) =>
      (await snapshot<Answered<N>>(route, given)).value,
    snapshot: (route, ...[given]) => snapshot(route, given),
    all: (route, ...[given]) => all(route, given),
  }
}

/** What any route may be given. */
interface Loose {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly timeoutMs?: number
}

const pathWith = (path: string, params: Readonly<Record<string, unknown>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.toString()
}

const isJson = ({ headers }: Received): boolean => /^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')

/** Reading changes nothing, and a request that is sent again with its clientId gets the first result. */
const isRepeatable = (method: string, body: unknown): boolean =>
  method === 'GET' || (typeof body === 'object' && body !== null && 'clientId' in body)

async function refusal(response: Received): Promise<CallFailure> {
  const error = errorIn(await response.text())
  return error
    ? new CallFailure('refused', error.message, error)
    : new CallFailure('foreign', `The server answered ${response.status} with something that is not Troupe's.`)
}
