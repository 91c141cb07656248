import type { Delta, Event } from '../contract/events.ts'
import type { ServerFrame, Subscribe } from '../contract/frames.ts'
import type { Client } from './client.ts'
import { CallFailure } from './failure.ts'

/** Which events are wanted, and from where on: behind `after`, or from now on when `after` is left out. */
export type Interest = Omit<Subscribe, 'op' | 'id'>

interface Listener {
  /** Awaited before the next frame is handled, so what is shown stays in order. */
  event(event: Event): Promise<void> | void
  delta?(delta: Delta): void
  /** The position is of no use any more, as after a restored backup: reads the state anew and says from where to go on. */
  anew?(): Promise<string | undefined>
  /** The connection was lost. When it is back, no event will be missing, but deltas may be. */
  lost?(): void
  /** It is there again, and what was missed follows. */
  back?(): void
}

export interface LiveStream {
  /** Rejects when the server stays away. */
  readonly ended: Promise<void>
  /** Goes on from another position, as that of a state that was read anew; what is on its way from before is dropped. */
  from(after: string | undefined): void
  close(): void
}

/** How to find a server again whose connection was lost. */
export interface Whereabouts {
  /** The server's address now; undefined while there is no server. */
  find(): Promise<string | undefined>
  /** Starts the server again, if it ended without a goodbye. */
  revive?(): Promise<unknown>
  /** How often it is looked for, twice a second; 40 times unless given. */
  readonly tries?: number
}

const TRIES = 40
const TRY_MS = 500
const SHUTTING_DOWN = 1001
const REVOKED = 4401

/** Follows the server's events over one WebSocket; after a lost connection it goes on where it was. */
export async function follow(
  client: Pick<Client, 'url' | 'token'>,
  interest: Interest,
  listener: Listener,
  whereabouts: Whereabouts = { find: async () => client.url },
): Promise<LiveStream> {
  let after = interest.after
  let socket: WebSocket
  /** Which subscription is wanted, and which the frames belong to that come in. */
  let wanted = 0
  let begun = 0
  let closed = false
  let failed: { readonly thrown: unknown } | undefined
  let work = Promise.resolve()

  async function take(text: string): Promise<void> {
    const { event, delta, seq, error, id } = JSON.parse(text) as ServerFrame
    if (id === wanted) begun = wanted
    if (begun !== wanted && !error) return
    if (event) await listener.event(event)
    if (delta) listener.delta?.(delta)
    if (error?.code === 'events.expired' && listener.anew) return from(await listener.anew())
    if (error) throw new CallFailure('refused', error.message, error)
    after = event?.seq ?? seq ?? after
  }

  function from(position: string | undefined): void {
    after = position
    subscribe(socket)
  }

  function subscribe(to: WebSocket): void {
    wanted += 1
    to.send(JSON.stringify({ op: 'subscribe', id: wanted, ...interest, after }))
  }

  function fail(thrown: unknown): void {
    failed ??= { thrown }
    socket.close()
  }

  async function run(): Promise<void> {
    for (;;) {
      const code = await new Promise<number>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          work = work.then(() => (closed || failed ? undefined : take(String(data)))).catch(fail)
        })
        socket.addEventListener('close', (event) => resolve(event.code))
      })
      await work
      if (failed) throw failed.thrown
      if (closed) return
      if (code === REVOKED) throw revoked()
      listener.lost?.()
      socket = await reconnect(code)
      if (closed) return socket.close()
      listener.back?.()
    }
  }

  async function reconnect(code: number): Promise<WebSocket> {
    // A server that said goodbye was stopped on purpose; one that was killed may be started again.
    if (code !== SHUTTING_DOWN) await whereabouts.revive?.()
    for (let attempt = 0; attempt < (whereabouts.tries ?? TRIES) && !closed; attempt += 1) {
      const url = await whereabouts.find()
      const again = url && (await open(url, client.token).catch(() => undefined))
      if (again) {
        subscribe(again)
        return again
      }
      await new Promise((resolve) => setTimeout(resolve, TRY_MS))
    }
    throw new CallFailure('lost', 'The server went away and did not come back.', {
      hint: 'Start it with "troupe up"; the conversation is on disk and goes on.',
    })
  }

  socket = await open(client.url, client.token)
  subscribe(socket)
  const ended = run()
  // The caller awaits `ended` later; a rejection before that must not count as unhandled.
  ended.catch(() => {})
  return {
    ended,
    from,
    close() {
      closed = true
      socket.close()
    },
  }
}

const revoked = (): CallFailure =>
  new CallFailure('refused', 'The token of this connection was revoked.', {
    code: 'auth.wrong',
    hint: 'Log in again with a new link.',
  })

function open(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(new URL('/api/ws', url.replace(/^http/, 'ws')), ['troupe.v1', `bearer.${token}`])
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => {
      reject(
        new CallFailure('lost', `The server at ${url} does not take a live connection.`, {
          hint: 'Look at "troupe logs".',
        }),
      )
    })
  })
}
