import type { ServerResponse } from 'node:http'
import type { Protocol, Reply } from './reply.ts'

/** Writes the events, whole or broken off in the way the reply asks for. */
export async function play(
  response: ServerResponse,
  events: readonly string[],
  reply: Reply,
  protocol: Protocol,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  if (reply.empty) return void response.end()
  if (reply.cut !== undefined) {
    // The bytes must have left before the socket is reset, or the client sees none of them.
    response.flushHeaders()
    response.write(share(events, reply.cut), () => response.socket?.destroy())
    return
  }
  if (reply.truncate !== undefined) return void response.end(share(events, reply.truncate))
  if (reply.hang) {
    if (reply.gone) response.on('close', reply.gone)
    response.flushHeaders()
    const rest = events.slice(0, -endings[protocol])
    if (rest.length > 0) response.write(rest.join(''))
    return
  }
  if (reply.flood) return flood(response, events, reply.flood)
  for (const event of events) response.write(event)
  response.end()
}

const MB = 1024 * 1024
const WRITTEN_AT_ONCE = 64 * 1024

async function flood(response: ServerResponse, events: readonly string[], { of, megabytes }: Flood): Promise<void> {
  const at = events.findIndex((event) => event.includes('xxx'))
  const piece = { text: events[at], call: events[at], comments: ': still here\n\n', line: 'x'.repeat(1000) }[of] ?? ''
  const many = piece.repeat(Math.ceil(WRITTEN_AT_ONCE / piece.length))
  let open = true
  let goOn = (): void => {}
  response.on('drain', () => goOn())
  response.once('close', () => {
    open = false
    goOn()
  })
  for (const event of events.slice(0, Math.max(0, at))) response.write(event)
  if (of === 'line') response.write('data: ')
  for (let left = megabytes * MB; left > 0 && open; left -= many.length) {
    if (response.write(many) || !open) continue
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  for (const event of events.slice(at + 1)) response.write(event)
  response.end()
}

type Flood = NonNullable<Reply['flood']>

/** The events at the end that tell a client the answer is whole. */
const endings: Record<Protocol, number> = { openai: 3, openrouter: 3, anthropic: 3, responses: 1, google: 1 }

function share(events: readonly string[], fraction: number): Buffer {
  const bytes = Buffer.from(events.join(''))
  return bytes.subarray(0, Math.floor(bytes.length * fraction))
}
