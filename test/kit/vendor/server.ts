import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicEvents, seenByAnthropic } from './anthropic.ts'
import { refusedByAnthropic } from './anthropic-rules.ts'
import { failure } from './failures.ts'
import { googleEvents, seenByGoogle } from './google.ts'
import { refusedByGoogle } from './google-rules.ts'
import { openaiEvents, seenByOpenAI } from './openai.ts'
import { refusedByOpenAI } from './openai-rules.ts'
import { openrouterEvents, refusedThoughts, seenByOpenRouter } from './openrouter.ts'
import { asksToReflect, NOTHING_NOTED, withoutReflections } from './reflections.ts'
import type { Protocol, Rejection, Reply, SeenRequest, VendorError } from './reply.ts'
import { responsesEvents, seenByResponses } from './responses.ts'
import { refusedByResponses } from './responses-rules.ts'
import { createScripts, type Scripts } from './script.ts'
import { play } from './stream.ts'

export type { Reply, SeenMessage, SeenRequest, VendorError } from './reply.ts'

export interface Vendor extends Pick<Scripts, 'script' | 'reply' | 'queue' | 'rules'> {
  /** The server's address; most protocols live below `/v1`. */
  readonly url: string
  /** The base URL to configure a provider with: chat completions, messages, responses; see `providerAt`. */
  readonly baseURL: string
  readonly requests: SeenRequest[]
  /** Histories that the real vendor would have refused. A test of a whole session ends by expecting none. */
  readonly rejections: Rejection[]
  /** From now on scripts also play what workers of runs make of nodes that they published. */
  showReflections(): void
  close(): Promise<void>
}

interface VendorOptions {
  port?: number
  /** Other keys get 401. Default: every key is good. */
  keys?: readonly string[]
  /** What /v1/models lists. */
  models?: readonly string[]
  /** Append one JSON line per request received to this file. */
  witness?: string
  /** How many of the newest requests are kept in memory. */
  keep?: number
}

/** How many connections may wait to be accepted. */
const BACKLOG = 4096
const KEPT_ALIVE_MS = 60_000

/** A loopback server that speaks every vendor's protocol, strict about what it is sent. */
export async function startVendor(options: VendorOptions = {}): Promise<Vendor> {
  const scripts = createScripts()
  const requests: SeenRequest[] = []
  const rejections: Rejection[] = []
  const keep = options.keep ?? 10_000
  let count = 0
  let reflections = false
  let ids = 0
  const nextId = (): string => `${(++ids).toString(36)}${'0'.repeat(8)}`

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })

  // When a thousand conversations share a machine, a connection may rest for seconds before it is used again.
  server.keepAliveTimeout = KEPT_ALIVE_MS

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://vendor').pathname
    if (request.method === 'GET' && path === '/v1/models') return sendModels(response, options.models ?? ['test-model'])
    const model = /^\/v1beta\/models\/([^:]+):streamGenerateContent$/.exec(path)?.[1]
    const protocol = model === undefined ? protocols[path] : 'google'
    if (request.method !== 'POST' || !protocol)
      return sendJson(response, 404, { error: { message: `No such route: ${path}` } })
    const key = keyOf(request)
    const body = parse(await read(request))
    const number = ++count
    const refused = refusedBy(protocol, request, body, key)
    if (options.witness)
      appendFileSync(options.witness, `${JSON.stringify({ number, protocol, key, refused, body })}\n`)
    if (options.keys && !options.keys.includes(key)) return sendFailure(response, protocol, { kind: 'auth' }, key)
    if (refused !== undefined) {
      rejections.push({ number, protocol, reason: refused, body })
      return sendFailure(response, protocol, { kind: 'bad-request', message: refused }, key)
    }
    const whole = seenBy[protocol](body, key, number, model ?? '')
    if (!reflections && asksToReflect(whole)) return give(response, protocol, whole, NOTHING_NOTED)
    const seen = reflections ? whole : withoutReflections(whole)
    requests.push(seen)
    if (requests.length > keep) requests.shift()
    await give(response, protocol, seen, await scripts.choose(seen))
  }

  async function give(response: ServerResponse, protocol: Protocol, seen: SeenRequest, reply: Reply): Promise<void> {
    if (reply.delay instanceof Promise) await reply.delay
    else if (reply.delay) await new Promise((resolve) => setTimeout(resolve, Number(reply.delay)))
    if (reply.error && !reply.error.inStream) return sendFailure(response, protocol, reply.error, seen.key)
    await play(response, eventsOf[protocol](reply, seen, nextId), reply, protocol)
  }

  await new Promise<void>((resolve) =>
    server.listen({ port: options.port ?? 0, host: '127.0.0.1', backlog: BACKLOG }, resolve),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    rejections,
    script: scripts.script,
    reply: scripts.reply,
    queue: scripts.queue,
    rules: scripts.rules,
    showReflections: () => {
      reflections = true
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const protocols: Record<string, Protocol> = {
  '/v1/chat/completions': 'openai',
  '/v1/messages': 'anthropic',
  '/v1/responses': 'responses',
  '/openrouter/v1/chat/completions': 'openrouter',
}

type Seen = (body: Record<string, unknown>, key: string, number: number, model: string) => SeenRequest
type Events = (reply: Reply, request: SeenRequest, nextId: () => string) => string[]

const seenBy: Record<Protocol, Seen> = {
  openai: seenByOpenAI,
  anthropic: seenByAnthropic,
  responses: seenByResponses,
  google: seenByGoogle,
  openrouter: seenByOpenRouter,
}
const eventsOf: Record<Protocol, Events> = {
  openai: openaiEvents,
  anthropic: anthropicEvents,
  responses: responsesEvents,
  google: googleEvents,
  openrouter: openrouterEvents,
}

function refusedBy(
  protocol: Protocol,
  request: IncomingMessage,
  body: Record<string, unknown>,
  key: string,
): string | undefined {
  if (protocol === 'openai') return refusedByOpenAI(body)
  if (protocol === 'openrouter') return refusedByOpenAI(body) ?? refusedThoughts(body)
  if (protocol === 'responses') return refusedByResponses(body, key)
  if (protocol === 'google') return refusedByGoogle(body)
  if (request.headers['anthropic-version'] === undefined) return 'anthropic-version: header is required'
  return refusedByAnthropic(body)
}

function sendFailure(response: ServerResponse, protocol: Protocol, error: VendorError, key: string): void {
  const { status, body } = failure(protocol, error, key)
  const inBody = protocol === 'google' && typeof error.retryAfter === 'number'
  if (error.retryAfter !== undefined && !inBody) response.setHeader('retry-after', String(error.retryAfter))
  sendJson(response, status, body)
}

const sendModels = (response: ServerResponse, models: readonly string[]): void =>
  sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model', owned_by: 'vendor' })) })

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function keyOf(request: IncomingMessage): string {
  const own = request.headers['x-api-key'] ?? request.headers['x-goog-api-key']
  return typeof own === 'string' ? own : (request.headers.authorization ?? '').replace(/^Bearer /, '')
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
