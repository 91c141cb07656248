import type { Reply, SeenRequest } from '../../kit/vendor/server.ts'
import type { Client } from '../client.ts'

/** What the model does with a message, by its first word. */
const kinds = {
  say: (id: string) => ({ text: `Heard ${id}.` }),
  read: () => ({ calls: ['a.txt', 'b.txt'].map((path) => ({ name: 'read_file', input: { path } })) }),
  list: (id: string) => ({ calls: [{ name: 'todo_write', input: { todos: [{ content: id }] } }] }),
  write: (id: string) => ({ calls: [{ name: 'bash', input: { command: `echo ${id} >> ${LINES}` } }] }),
  ask: (id: string, to: string) => ({
    calls: [{ name: 'agent_message', input: { to, message: `say ${id}-asked`, timeout: 600 } }],
  }),
  nap: (id: string) => ({ calls: [{ id: `nap-${id}`, name: 'sleep', input: { seconds: NAP_SECONDS } }] }),
} satisfies Record<string, (id: string, to: string) => Reply>

export type Kind = keyof typeof kinds
/** Where the commands leave a line each: the effects, counted outside the program. */
export const LINES = 'lines.txt'
export const NAP_SECONDS = 1

const order = new RegExp(`\\b(${Object.keys(kinds).join('|')}) (\\S+)(?: (\\S+))?$`)

/** Does what each message that is new asks for; by the history alone, so a request that is made again gets the same. */
export function answer({ messages }: SeenRequest): Reply {
  const news = messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1)
  const replies = news.flatMap(({ text }): Reply[] => {
    const [, kind, id = '', to = ''] = order.exec(text.trim()) ?? []
    return kind === undefined ? [] : [kinds[kind as Kind](id, to)]
  })
  const calls = replies.flatMap((reply) => reply.calls ?? [])
  return calls.length > 0 ? { calls } : { text: replies.map(({ text }) => text).join(' ') || 'Done.' }
}

interface Chat {
  readonly sessionId: string
  readonly name: string
  readonly kinds: readonly Kind[]
  /** Whom it writes to now and then, and may tell its agent to ask. */
  readonly others: readonly string[]
  random(): number
  over(): boolean
  pace(): Promise<void>
}

/** Sends one message after another until it is told to stop; sometimes without waiting for the answer. */
export async function chat(
  client: Client,
  { sessionId, name, kinds, others, random, over, pace }: Chat,
): Promise<void> {
  const one = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!
  for (let number = 1; !over(); number += 1) {
    await pace()
    const kind = one(kinds)
    const id = `${name}-${number}`
    const to = random() < 0.2 ? one(others) : sessionId
    const content = [kind, id, ...(kind === 'ask' ? [one(others.filter((other) => other !== to))] : [])].join(' ')
    const receipt = await client.send(to, id, content, random() < 0.2 ? { followup: true } : {})
    if (random() < 0.7) await client.settled(receipt.mailId)
  }
}
