import type { ClientCall, ClientTool, Registration } from '../contract/client-tools.ts'
import type { ServerFrame } from '../contract/frames.ts'
import type { Client } from './client.ts'
import { CallFailure } from './failure.ts'
import type { Whereabouts } from './live.ts'

/** A tool that this program offers to agents. What it throws is an error that the model reads. */
interface OfferedTool extends Omit<ClientTool, 'name'> {
  run(input: unknown, call: ClientCall): unknown
}

/** For one session, or for every session of an agent. */
interface ToolOffer extends Omit<Registration, 'tools'> {
  /** A folder of the project; the server's unless given. */
  readonly project?: string
  readonly tools: Readonly<Record<string, OfferedTool>>
}

interface Offering {
  /** Rejects when the server refuses the tools or stays away. */
  readonly ended: Promise<void>
  close(): void
}

interface Answer {
  readonly output: unknown
  readonly error?: true
}

const TRIES = 40
const TRY_MS = 500
const REVOKED = 4401
/** So many answers are kept for a server that asks again after a lost connection. */
const KEPT = 500

/** Offers tools over a WebSocket of its own. Each call runs once, also when the connection is lost and it is sent again. */
export async function offerTools(
  client: Pick<Client, 'url' | 'token'>,
  offer: ToolOffer,
  whereabouts: Whereabouts = { find: async () => client.url },
): Promise<Offering> {
  const answers = new Map<string, Promise<Answer>>()
  let closed = false
  let socket = await connect(client.url)

  function answerTo(call: ClientCall): Promise<Answer> {
    const known = answers.get(call.callId) ?? run(offer, call)
    answers.set(call.callId, known)
    if (answers.size > KEPT) answers.delete(answers.keys().next().value!)
    return known
  }

  function take(from: WebSocket, text: string): void {
    const { call } = JSON.parse(text) as ServerFrame
    if (call === undefined) return
    void answerTo(call).then((answer) => {
      const frame = { op: 'tool.result', id: call.callId, client: offer.client, callId: call.callId, ...answer }
      // Where the connection is lost, the call is sent again on the next one.
      if (from.readyState === WebSocket.OPEN) from.send(JSON.stringify(frame))
    })
  }

  async function connect(url: string): Promise<WebSocket> {
    const opened = await open(url, client.token)
    const registered = Promise.withResolvers<void>()
    opened.addEventListener('message', ({ data }) => {
      const { id, error } = JSON.parse(String(data)) as ServerFrame
      if (id === 'register' && error) registered.reject(new CallFailure('refused', error.message, error))
      else if (id === 'register') registered.resolve()
      take(opened, String(data))
    })
    opened.addEventListener('close', () => registered.reject(lost(url)))
    opened.send(JSON.stringify({ op: 'tools.register', id: 'register', ...registrationOf(offer) }))
    await registered.promise
    return opened
  }

  async function hold(): Promise<void> {
    while (!closed) {
      const { code } = await new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve))
      if (closed) return
      if (code === REVOKED) throw new CallFailure('refused', 'The token of this connection was revoked.')
      socket = await again()
    }
  }

  async function again(): Promise<WebSocket> {
    for (let attempt = 0; attempt < TRIES && !closed; attempt += 1) {
      const url = await whereabouts.find()
      const found = url && (await connect(url).catch((error) => (isRefusal(error) ? Promise.reject(error) : undefined)))
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, TRY_MS))
    }
    throw lost(client.url)
  }

  const ended = hold()
  // The caller awaits `ended` later; a rejection before that must not count as unhandled.
  ended.catch(() => {})
  return {
    ended,
    close() {
      closed = true
      socket.close()
    },
  }
}

async function run({ tools }: ToolOffer, call: ClientCall): Promise<Answer> {
  try {
    return { output: (await tools[call.name]?.run(call.input, call)) ?? null }
  } catch (error) {
    return { output: error instanceof Error ? error.message : String(error), error: true }
  }
}

const registrationOf = ({ tools, ...whom }: ToolOffer) => ({
  ...whom,
  tools: Object.entries(tools).map(([name, { run: _, ...tool }]) => ({ name, ...tool })),
})

const isRefusal = (error: unknown): boolean => error instanceof CallFailure && error.kind === 'refused'

const lost = (url: string): CallFailure =>
  new CallFailure('lost', `The server at ${url} does not take a live connection.`, { hint: 'Look at "troupe logs".' })

function open(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(new URL('/api/ws', url.replace(/^http/, 'ws')), ['troupe.v1', `bearer.${token}`])
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(lost(url)))
  })
}
