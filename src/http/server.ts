import { chmodSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { AppError } from '../contract/errors.ts'
import type { Core, Engine } from '../core/base/index.ts'
import type { ClientTools } from '../core/clients/index.ts'
import { holderOf, type SessionTokens } from '../core/sessions/index.ts'
import { isLoopback } from '../lib/net/loopback.ts'
import type { ServerParts } from './context.ts'
import { bodyOf, httpStatusOf } from './errors.ts'
import { builtFolder } from './faces/built.ts'
import { securityHeaders } from './faces/headers.ts'
import { createAuth, sourceOf } from './guard/auth.ts'
import { createCodes } from './guard/codes.ts'
import type { Devices } from './guard/devices.ts'
import { bracketed, createGate, type Gate, requestPath } from './guard/gate.ts'
import { createClients } from './live/clients.ts'
import { createFeed, type FeedLimits } from './live/feed.ts'
import { attachSockets } from './live/socket.ts'
import { createRoutes } from './routes.ts'

interface ServerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly publicUrl?: string | undefined
  /** Unless this is true, the server listens on loopback addresses only. */
  readonly allowRemote?: boolean
  /** The owner's token. */
  readonly token: string
  readonly tokens: SessionTokens
  readonly devices: Devices
  /** A Unix socket to listen on as well, for programs in a sandbox. A path that is too long is not used. */
  readonly socket?: string
  readonly engine: Engine
  readonly clientTools: ClientTools
  /** Asked for by POST /api/shutdown. */
  shutdown(): void
  readonly feedLimits?: FeedLimits
  /** The folder of the built page, instead of the usual one. */
  readonly page?: string
}

interface Server {
  /** Where the server listens. */
  readonly url: string
  readonly port: number
  /** Whether anyone needs it: open streams, and when the last request came (clock time). */
  activity(): { streams: number; lastRequestAt: number }
  close(): Promise<void>
}

/** A thousand conversations may each wait on a connection of its own, and page, chats and children come on top. */
const CONNECTIONS = 4000
const CLOSE_GRACE_MS = 3000

export async function createServer(core: Core, options: ServerOptions): Promise<Server> {
  if (!isLoopback(options.host) && options.allowRemote !== true) throw notLoopback(options.host)
  const closing = new AbortController()
  let url = ''
  let lastRequestAt = core.clock.now()

  const face: ServerParts = {
    core,
    engine: options.engine,
    clientTools: options.clientTools,
    auth: createAuth(options.token, options.devices, (token) => holderOf(core, options.tokens, token), core.clock),
    devices: options.devices,
    codes: createCodes(core.clock),
    clients: createClients(),
    feed: createFeed(core, options.feedLimits),
    security: core.security,
    page: options.page ?? builtFolder,
    url: () => options.publicUrl?.replace(/\/$/, '') ?? url,
    closing: closing.signal,
    shutdown: options.shutdown,
  }
  const routes = createRoutes(face)
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  let gate: Gate = () => undefined

  const behind = (check: Gate) => {
    const made = createHttpServer({ headersTimeout: 10_000, requestTimeout: 60_000, maxHeaderSize: 64 * 1024 })
    made.maxConnections = CONNECTIONS
    made.on('drop', () =>
      core.security(
        'connections',
        'server',
        `more than ${CONNECTIONS} at once; further ones are closed until some end`,
      ),
    )
    return made.on('request', (request, response) => {
      lastRequestAt = core.clock.now()
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
      const refused = check(request)
      if (refused === undefined) void answer(request, response)
      else refuse(face, request, response, refused)
    })
  }
  const server = behind((request) => gate(request))
  const sockets = attachSockets(server, face, (request) => gate(request))
  // A request over the Unix socket names no port of ours; it needs a token all the same.
  const local = behind(createGate({ host: 'localhost', port: 80 }))

  await listen(server, options)
  if (options.socket !== undefined) await listenAt(local, options.socket, core)
  const { port } = server.address() as AddressInfo
  url = `http://${bracketed(options.host)}:${port}`
  gate = createGate({ host: options.host, port, publicUrl: options.publicUrl })

  return {
    url,
    port,
    activity: () => ({ streams: face.clients.count, lastRequestAt }),
    async close() {
      closing.abort(
        new AppError('server.shutting_down', 'The server is shutting down.', {
          hint: 'Ask again when the server runs.',
        }),
      )
      face.feed.close()
      sockets.close()
      const both = [server, local].filter((one) => one.listening)
      const closed = Promise.all(both.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))))
      for (const one of both) one.closeIdleConnections()
      const timer = setTimeout(() => both.forEach((one) => void one.closeAllConnections()), CLOSE_GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

function refuse(face: ServerParts, request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const route = `${request.method} ${requestPath(request)}`
  face.security(error.code, route, error.message, sourceOf(undefined, request))
  response.writeHead(httpStatusOf(error), { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(bodyOf(error)))
}

function listen(server: ReturnType<typeof createHttpServer>, { host, port }: ServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host.replace(/^\[|\]$/g, ''), CONNECTIONS, () => {
    server.off('error', reject)
    resolve()
  })
  return promise
}

const SOCKET_BYTES = 107

/** Only the owner may use the socket. As we hold the folder's lock, a file that is there was left by a killed server. */
async function listenAt(server: ReturnType<typeof createHttpServer>, path: string, core: Core): Promise<void> {
  if (process.platform === 'win32' || Buffer.byteLength(path) > SOCKET_BYTES) return
  rmSync(path, { force: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(path, resolve)
  await promise.then(
    () => chmodSync(path, 0o600),
    (error: Error) => core.log('warn', 'no Unix socket', { error: error.message }),
  )
}

const notLoopback = (host: string): AppError =>
  new AppError('settings.invalid', `server.host is "${host}", which other machines can reach.`, {
    hint: 'Use 127.0.0.1. For other machines put an SSH tunnel, or a reverse proxy with TLS whose address is in server.publicUrl, in front of it.',
  })
