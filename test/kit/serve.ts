import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import type { Core } from '../../src/core/base/core.ts'
import { createBus } from '../../src/core/base/events.ts'
import { transact } from '../../src/core/base/transaction.ts'
import { findProject } from '../../src/core/config/projects.ts'
import { createHistoryCache } from '../../src/core/sessions/history.ts'
import { createTokens } from '../../src/core/sessions/tokens.ts'
import { createEmbeddedEngine } from '../../src/engines/embedded.ts'
import { openDevices } from '../../src/http/api/devices.ts'
import { openSecurityLog } from '../../src/http/guard/security-log.ts'
import type { FeedLimits } from '../../src/http/live/feed.ts'
import { createServer, type Server } from '../../src/http/server.ts'
import { hex } from '../../src/lib/ids.ts'
import { noLog } from '../../src/lib/log.ts'
import { createModelRuntime } from '../../src/runtimes/model/index.ts'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import { checkAnswer } from './answers.ts'

export interface Served extends Server {
  readonly core: Core
  readonly token: string
  readonly clock: { at: number }
  readonly shutdowns: number
  /** A request as the owner; headers given here win. */
  call(method: string, path: string, more?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>
  /** As many notes in the record, numbered from `first`. */
  note(count: number, first?: number, text?: string): Promise<void>
  securityLog(): string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Looked into field by field, as JSON.parse gives it. */
  readonly json: ReturnType<typeof JSON.parse>
}

interface ServeOptions {
  readonly postgresUrl?: string | undefined
  readonly feedLimits?: FeedLimits
  readonly publicUrl?: string
}

/** A whole server on a free port over a real store, in a data folder of its own; everything is gone after the test. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-http-')))
  const home = join(root, 'home')
  mkdirSync(join(home, 'logs'), { recursive: true })
  mkdirSync(join(root, 'project', '.troupe'), { recursive: true })
  const clock = { at: Date.now() }
  const time = { now: () => clock.at }
  const store = options.postgresUrl
    ? await openPostgres({ url: await freshDatabase(options.postgresUrl), now: time.now })
    : await openSqlite({ file: join(home, 'data.db'), durability: 'process', now: time.now })
  const token = hex(32)
  const tokens = createTokens(token)
  const model = createModelRuntime({
    env: {},
    clock: time,
    settings: async () => ({ providers: {} }),
    demoDelayMs: 0,
  })
  const core: Core = {
    store,
    clock: time,
    log: noLog,
    home,
    project: findProject(home, join(root, 'project')),
    instance: hex(8),
    host: hex(8),
    env: {},
    flags: {},
    bus: createBus(),
    histories: createHistoryCache(1024 * 1024),
    mask: (text) => text,
    security: openSecurityLog(home, time),
    tools: new Map(),
    models: model.models,
    runtimes: { model },
    wake: (id) => engine.wake(id),
    alarm: (due) => engine.alarm(due),
    tokenOf: tokens.tokenOf,
    url: () => server.url,
  }
  const engine = createEmbeddedEngine(core, { maxTurns: 10, alone: store.alone })
  await engine.start()
  let shutdowns = 0
  const server = await createServer(core, {
    host: '127.0.0.1',
    port: 0,
    token,
    tokens,
    devices: openDevices(home, time),
    engine,
    shutdown: () => {
      shutdowns += 1
    },
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.feedLimits === undefined ? {} : { feedLimits: options.feedLimits }),
  })
  onTestFinished(async () => {
    await server.close()
    await engine.stop()
    await store.close()
    rmSync(root, { recursive: true, force: true })
  })

  return {
    ...server,
    core,
    token,
    clock,
    get shutdowns() {
      return shutdowns
    },
    async call(method, path, { body, headers } = {}) {
      const answer = await ask(
        {
          port: server.port,
          method,
          path,
          headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : json), ...headers },
        },
        typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      )
      if (answer.status === 200 || answer.status === 202) checkAnswer(method, path, answer.json)
      return answer
    },
    async note(count, first = 0, text = '') {
      await transact(core, 'test.note', async (tx) => {
        for (let at = first; at < first + count; at++) {
          tx.record('log', { project: core.project.id }, { level: 'info', message: `note ${at}`, metadata: { text } })
        }
      })
    },
    securityLog: () => {
      const file = join(home, 'logs', 'security.log')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
  }
}

const json = { 'content-type': 'application/json' }

/** One request with exactly these headers; `send` may write the body by hand. */
export function ask(options: RequestOptions, body?: string, send?: (request: ClientRequest) => void): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request({ host: '127.0.0.1', agent: false, ...options }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      text += chunk
    })
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) }),
    )
  })
  sent.on('upgrade', (response, socket) => {
    socket.destroy()
    resolve({ status: 101, headers: response.headers, text: '', json: undefined })
  })
  sent.on('error', reject)
  // A DELETE gets no length by itself, and its body would be taken for the next request.
  if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body))
  if (send) send(sent)
  else sent.end(body)
  return promise
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function freshDatabase(url: string): Promise<string> {
  const name = `http_${hex(6)}`
  const admin = new Client({ connectionString: `${url}/postgres` })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return `${url}/${name}`
}
