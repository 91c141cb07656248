import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client/client.ts'
import type { Delta, Event } from '../contract/events.ts'
import type { Cli } from './cli.ts'
import { exits, Failure } from './failure.ts'
import { findServer, reachServer } from './server.ts'

export interface Interest {
  readonly session?: string
  readonly project?: string
  readonly types?: readonly string[]
  readonly deltas?: boolean
  /** Events behind this position; now when left out. */
  readonly after?: string
}

export interface Listener {
  /** Awaited before the next frame, so what is printed stays in order. */
  event(event: Event): Promise<void> | void
  delta?(delta: Delta): void
  /** The connection went away. When it is back no event will be missing, deltas may be. */
  lost?(): void
}

export interface Live {
  /** Rejects when the server stays away. */
  readonly ended: Promise<void>
  close(): void
}

interface Frame {
  event?: Event
  delta?: Delta
  seq?: string
  error?: { code: string; message: string; hint?: string }
}

const TRIES = 40
const TRY_MS = 500
const SHUTTING_DOWN = 1001

/** Follows the server's events over one WebSocket; after a lost connection it goes on where it was. */
export async function follow(cli: Cli, client: Client, interest: Interest, listener: Listener): Promise<Live> {
  let after = interest.after
  let socket: WebSocket
  let closed = false
  let failed: Failure | undefined
  let work = Promise.resolve()

  async function frame(text: string): Promise<void> {
    const { event, delta, seq, error } = JSON.parse(text) as Frame
    if (event) await listener.event(event)
    if (delta) listener.delta?.(delta)
    if (error) failed = new Failure(exits.failed, error.message, error)
    after = event?.seq ?? seq ?? after
    if (failed) socket.close()
  }

  async function run(): Promise<void> {
    for (;;) {
      const code = await new Promise<number>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          work = work
            .then(() => (closed ? undefined : frame(String(data))))
            .catch((thrown: unknown) => {
              failed = thrown instanceof Failure ? thrown : new Failure(exits.failed, String(thrown))
              socket.close()
            })
        })
        socket.addEventListener('close', (event) => resolve(event.code), { once: true })
      })
      await work
      if (failed) throw failed
      if (closed) return
      listener.lost?.()
      socket = await reconnect(code)
      if (closed) return socket.close()
    }
  }

  async function reconnect(code: number): Promise<WebSocket> {
    // A server that said goodbye was stopped on purpose; one that was killed is started again, as any command would.
    if (code !== SHUTTING_DOWN) await reachServer(cli)
    for (let attempt = 0; attempt < TRIES && !closed; attempt += 1) {
      const server = await findServer(cli.home)
      const again =
        server &&
        (await open(server.url, client.token, { ...interest, ...(after ? { after } : {}) }).catch(() => undefined))
      if (again) return again
      await pause(TRY_MS)
    }
    throw new Failure(exits.unreachable, 'The server went away and did not come back.', {
      code: 'cli.unreachable',
      hint: 'Start it with "troupe up"; the conversation is on disk and goes on.',
    })
  }

  socket = await open(client.url, client.token, interest)
  const ended = run()
  // Somebody looks at it at the end; until then a rejection is not unhandled.
  ended.catch(() => {})
  return {
    ended,
    close() {
      closed = true
      socket.close()
    },
  }
}

function open(url: string, token: string, interest: Interest): Promise<WebSocket> {
  const socket = new WebSocket(new URL('/api/ws', url.replace(/^http/, 'ws')), ['troupe.v1', `bearer.${token}`])
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ op: 'subscribe', id: 'cli', ...interest }))
      resolve(socket)
    })
    socket.addEventListener('error', () => {
      reject(
        new Failure(exits.unreachable, `The server at ${url} does not take a live connection.`, {
          code: 'cli.unreachable',
          hint: 'Look at "troupe logs".',
        }),
      )
    })
  })
}
