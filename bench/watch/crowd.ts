import { once } from 'node:events'
import { WebSocket } from 'ws'
import { CLIENTS, nowMicros, type Said, TEXT } from './job.ts'

export interface Crowd {
  /** Resolves when every client has the next `events` events, with how long each event took in milliseconds. */
  hear(events: number): Promise<number[]>
  leave(): void
}

/** Many clients in one process; each must get every event once and in order. */
export async function gather(url: string, token: string): Promise<Crowd> {
  let heard = 0
  let took: number[] = []
  let waiting: { count: number; done: PromiseWithResolvers<number[]> } | undefined
  const left = new Map<number, number>()

  const listen = (socket: WebSocket): void => {
    let next = heard
    socket.on('message', (data) => {
      const { event } = JSON.parse(String(data)) as { event?: { data: { message: string; metadata: Said } } }
      if (event === undefined) return
      const { n, madeAt } = event.data.metadata
      if (n !== next++ || event.data.message !== TEXT)
        return waiting?.done.reject(new Error(`Event ${n} came to a client that waited for ${next - 1}.`))
      const others = (left.get(n) ?? CLIENTS) - 1
      left.set(n, others)
      if (others > 0) return
      left.delete(n)
      heard += 1
      took.push((nowMicros() - madeAt) / 1000)
      if (took.length === waiting?.count) waiting.done.resolve(took)
    })
    socket.on('close', () => waiting?.done.reject(new Error('A client lost its connection.')))
  }

  const sockets = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false })
      const [hello] = await once(socket, 'message')
      if (!String(hello).includes('"seq"')) throw new Error(`A client was greeted with ${hello}`)
      listen(socket)
      return socket
    }),
  )
  return {
    hear(count) {
      took = []
      waiting = { count, done: Promise.withResolvers() }
      return waiting.done.promise
    },
    leave() {
      waiting = undefined
      for (const socket of sockets) socket.terminate()
    },
  }
}
