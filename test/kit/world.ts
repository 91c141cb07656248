import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { type StartedServer, startServer } from '../../src/app.ts'
import type { Reply } from '../../src/contract/api.ts'
import type { Event } from '../../src/contract/events.ts'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Message } from '../../src/contract/messages.ts'
import type { Session, SessionStatus } from '../../src/contract/sessions.ts'
import type { Core } from '../../src/core/base/core.ts'
import type { Tool } from '../../src/core/base/tool.ts'
import type { ToolSource } from '../../src/core/base/tool-source.ts'
import type { FeedLimits } from '../../src/http/live/feed.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { checkAnswer } from './answers.ts'
import { settleEvents } from './database.ts'
import { ask, type HttpAnswer } from './http.ts'
import { openPlace, type Place, type PlaceOptions } from './place.ts'
import { seldomer } from './processes.ts'
import type { Vendor } from './vendor/server.ts'

export interface WorldOptions extends Omit<PlaceOptions, 'empty' | 'keep'> {
  clock?: Clock
  /** Instead of the built-in ones. */
  tools?: readonly Tool[]
  /** Where further tools come from, instead of the usual places. */
  toolSources?: readonly ToolSource[]
  /** Beside the one of models. */
  runtimes?: Core['runtimes']
  feedLimits?: FeedLimits
  /** The folder of the built page, instead of the usual one. */
  page?: string
  /** Puts in place what an older program left; the database is empty before that. */
  left?: (place: Place) => Promise<void>
}

export interface Answer<T = Record<string, unknown>> {
  status: number
  body: T
  headers: Headers
}

interface Sent {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A whole server in this process: real store, real HTTP, real files; only the model vendor is a stand-in. */
export interface World {
  readonly server: StartedServer
  readonly vendor: Vendor
  readonly home: string
  readonly project: string
  readonly port: number
  /** The environment of the server. */
  readonly env: Record<string, string>
  /** A request as the owner, and all that came back; text goes as it is, and headers given here win. */
  call(method: string, path: string, more?: Sent): Promise<HttpAnswer>
  /** The same for whom the body is enough. */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>
  /** A request that must succeed; gives the body of its answer. */
  ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>
  /** Makes a session of an agent. */
  session(body?: Record<string, unknown>): Promise<Session>
  /** Sends a message and waits for the turn to end or park. */
  say(session: string, content: string, more?: Record<string, unknown>): Promise<Reply>
  /** Sends a message and does not wait. */
  send(session: string, content: string, more?: Record<string, unknown>): Promise<Reply>
  /** Resolves with what became of a mail, once the turn that took it has ended or parked. */
  settled(mailId: string): Promise<Reply>
  look(session: string): Promise<Session>
  /** Resolves once the session has this status. */
  reaches(session: string, status: SessionStatus): Promise<Session>
  /** Resolves once the model or a command has streamed this text. Call it before the text can come. */
  streams(text: string): Promise<void>
  messages(session: string): Promise<Message[]>
  /** What the tools of its log returned, in order. */
  results(session: string): Promise<unknown[]>
  inbox(): Promise<InboxItem[]>
  events(session?: string): Promise<Event[]>
  /** Looks again and again until the value is there; fails after 20 s. */
  eventually<T>(look: () => Promise<T | undefined | false>): Promise<T>
  /** At a port of its own, or at the one that is given. */
  restart(at?: { readonly port: number }): Promise<void>
}

const json = { 'content-type': 'application/json' }
const PATIENCE_MS = 20_000
/** A world does not look at each commit: there are hundreds in a second, and a look costs more than most of them. */
const LOOK_MS = 20
const SELDOM_MS = 100
/** How much of the server's log is shown when a test waits in vain. */
const LOG_CHARS = 4000

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { clock, tools, toolSources, runtimes, feedLimits, page, left, ...more } = options
  const env = { TROUPE_DEMO_DELAY_MS: '0', ...more.env }
  const place = await openPlace({ ...more, env, empty: left !== undefined })
  const { home, project, vendor } = place
  await left?.(place)

  const start = (port = 0) =>
    startServer({
      home,
      project,
      env: place.env,
      port,
      ...(clock && { clock }),
      ...(tools && { tools }),
      ...(toolSources && { toolSources }),
      ...(runtimes && { runtimes }),
      ...(feedLimits && { feedLimits }),
      ...(page !== undefined && { page }),
    })
  let server = await start()
  onTestFinished(async () => {
    await server.stop()
    await place.close()
    // Every test expects this: no history was sent that a vendor would refuse.
    expect(vendor.rejections).toEqual([])
  })

  const world: World = {
    env: place.env,
    get server() {
      return server
    },
    vendor,
    home,
    project,
    get port() {
      return Number(new URL(server.url).port)
    },
    async call(method, path, { body, headers } = {}) {
      const own = { authorization: `Bearer ${server.token}`, ...(body === undefined ? {} : json) }
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      const answer = await ask({ port: world.port, method, path, headers: { ...own, ...headers } }, text)
      if (answer.status >= 200 && answer.status < 300) checkAnswer(method, path, answer.json)
      return answer
    },
    async request<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const more = { ...(headers && { headers }), ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const { status, headers: sent, json, text } = await world.call(method, path, more)
      const isJson = /^application\/json(;|$)/.test(sent['content-type'] ?? '')
      return { status, body: (isJson ? json : text) as T, headers: new Headers(sent as Record<string, string>) }
    },
    ok: async (method, path, body) => expectOk(await world.request(method, path, body)),
    session: (body = {}) => world.ok('POST', '/api/sessions', { agent: 'assistant', ...body }),
    say: (session, content, more = {}) => world.send(session, content, { wait: 20, ...more }),
    send: (session, content, more = {}) => world.ok('POST', `/api/sessions/${session}/messages`, { content, ...more }),
    settled: (mailId) => world.ok('GET', `/api/mail/${mailId}?wait=20`),
    look: (session) => world.ok('GET', `/api/sessions/${session}`),
    reaches: (session, status) =>
      world.eventually(async () => {
        const seen = await world.look(session)
        return seen.status === status && seen
      }),
    streams(text) {
      let seen = ''
      const { promise, resolve } = Promise.withResolvers<void>()
      const off = server.core.bus.onDelta((delta) => {
        seen += delta.text
        if (seen.includes(text)) resolve()
      })
      return promise.finally(off)
    },
    async messages(session) {
      const log: Message[] = []
      for (let after = ''; ; ) {
        const path = `/api/sessions/${session}/messages?limit=200${after}`
        const { items, nextCursor } = await world.ok<{ items: Message[]; nextCursor?: string }>('GET', path)
        log.push(...items)
        if (nextCursor === undefined) return log
        after = `&cursor=${nextCursor}`
      }
    },
    results: async (session) =>
      (await world.messages(session)).flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])),
      ),
    inbox: async () => expectOk(await world.request<{ items: InboxItem[] }>('GET', '/api/inbox?status=open')).items,
    async events(session) {
      await settleEvents(server.core.store)
      const path = `/api/events?limit=1000${session ? `&session=${session}` : ''}`
      return expectOk(await world.request<{ items: Event[] }>('GET', path)).items
    },
    async eventually(look) {
      let waitMs = LOOK_MS
      for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(waitMs)) {
        const found = await look()
        if (found) return found
        waitMs = seldomer(waitMs, SELDOM_MS)
      }
      const log = readFileSync(join(home, 'logs', 'troupe.log'), 'utf8')
      throw new Error(`It did not come to that: ${look}\nThe server's log ends with:\n${log.slice(-LOG_CHARS)}`)
    },
    async restart(at) {
      await server.stop()
      server = await start(at?.port)
    },
  }
  return world
}

export function expectOk<T>(answer: Answer<T>): T {
  if (answer.status >= 400) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
