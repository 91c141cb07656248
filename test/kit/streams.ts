import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Event } from '../../src/contract/events.ts'
import type { World } from './world.ts'

/** As JSON.parse gives it; tests look into its fields. */
type Frame = ReturnType<typeof JSON.parse>

/** A reader of the server's events that keeps what it got. */
interface Reader {
  readonly frames: Frame[]
  readonly events: Event[]
  /** The position to resume from. */
  readonly seq: string | undefined
  readonly closed: Promise<{ code: number; reason: string }>
  /** Resolves when what the reader got fits. */
  until(fits: (reader: Reader) => boolean): Promise<void>
  send(frame: unknown): void
  pause(): void
  resume(): void
  /** Cuts the connection. */
  cut(): void
}

export function openSocket({ server }: World, query = '', token = server.token): Promise<Reader> {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/api/ws${query}`, ['troupe.v1', `bearer.${token}`])
  const reader = collector({
    send: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    cut: () => ws.terminate(),
  })
  const { promise, resolve, reject } = Promise.withResolvers<Reader>()
  ws.on('open', () => resolve(reader))
  ws.on('error', reject)
  ws.on('message', (data) => reader.take(JSON.parse(String(data))))
  ws.on('close', (code, reason) => reader.end({ code, reason: String(reason) }))
  onTestFinished(() => ws.terminate())
  return promise
}

export function openStream({ server, port }: World, query = '', headers: Record<string, string> = {}): Promise<Reader> {
  const { promise, resolve, reject } = Promise.withResolvers<Reader>()
  const sent = request({
    host: '127.0.0.1',
    port,
    path: `/api/events/stream${query}`,
    agent: false,
    headers: { authorization: `Bearer ${server.token}`, ...headers },
  })
  sent.on('error', reject)
  sent.on('response', (response) => {
    if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`))
    const reader = collector({
      send: () => {},
      pause: () => response.pause(),
      resume: () => response.resume(),
      cut: () => sent.destroy(),
    })
    let rest = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) reader.take(frameOf(block))
    })
    response.on('error', () => {})
    response.on('close', () => reader.end({ code: 0, reason: '' }))
    resolve(reader)
  })
  sent.end()
  onTestFinished(() => void sent.destroy())
  return promise
}

/** A server-sent event in the shape of a socket's frame: {event}, {delta}, {seq}, {error}. */
function frameOf(block: string): Frame {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
  if (fields.data === undefined) return { comment: block }
  const data = JSON.parse(fields.data)
  if (fields.event === undefined) return { event: data, id: fields.id }
  return fields.event === 'delta' ? { delta: data } : data
}

function collector(connection: Pick<Reader, 'send' | 'pause' | 'resume' | 'cut'>) {
  const frames: Frame[] = []
  const events: Event[] = []
  const waiting = new Set<() => void>()
  const ended = Promise.withResolvers<{ code: number; reason: string }>()
  let seq: string | undefined

  const reader: Reader = {
    ...connection,
    frames,
    events,
    get seq() {
      return seq
    },
    closed: ended.promise,
    until(fits) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => {
        if (!fits(reader)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
      return promise
    },
  }
  return Object.assign(reader, {
    take(frame: Frame) {
      frames.push(frame)
      if (frame.event) events.push(frame.event)
      seq = frame.event?.seq ?? frame.seq ?? seq
      for (const look of waiting) look()
    },
    end: ended.resolve,
  })
}
