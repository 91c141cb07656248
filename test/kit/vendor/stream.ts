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
  for (let left = reply.comments?.count ?? 0; left > 0; left--) {
    response.write(': still here\n\n')
    await new Promise((resolve) => setTimeout(resolve, reply.comments?.everyMs))
  }
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
  for (const event of events) response.write(event)
  response.end()
}

/** The events at the end that tell a client the answer is whole. */
const endings: Record<Protocol, number> = { openai: 3, openrouter: 3, anthropic: 3, responses: 1, google: 1 }

function share(events: readonly string[], fraction: number): Buffer {
  const bytes = Buffer.from(events.join(''))
  return bytes.subarray(0, Math.floor(bytes.length * fraction))
}
