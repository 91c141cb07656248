import { join } from 'node:path'
import type { Client } from '../faults/client.ts'
import { callsIn, resultsOf } from '../faults/invariants.ts'
import type { FaultPlace } from '../faults/place.ts'
import type { Rows } from '../faults/rows.ts'
import { linesOf } from '../faults/scenario.ts'
import type { Reply, SeenRequest } from '../kit/vendor/server.ts'

/** What the model does with a message, by its first word. */
const kinds: Record<string, (id: string) => Reply> = {
  say: (id) => ({ text: `Heard ${id}.` }),
  read: () => ({ calls: ['a.txt', 'b.txt'].map((path) => ({ name: 'read_file', input: { path } })) }),
  list: (id) => ({ calls: [{ name: 'todo_write', input: { todos: [{ content: id }] } }] }),
  write: (id) => ({ calls: [{ name: 'bash', input: { command: `echo ${id} >> lines.txt` } }] }),
}

/** Answers by the history alone, so a request that is made again gets the same answer. */
export function answer({ messages, lastUserText }: SeenRequest): Reply {
  if (messages.at(-1)?.role === 'tool') return { text: 'Done.' }
  const [, kind = '', id = ''] = /\b(say|read|list|write) (\S+)$/.exec(lastUserText.trim()) ?? []
  return kinds[kind]?.(id) ?? { text: 'What?' }
}

/** Sends one message after another until it is told to stop; sometimes without waiting for the answer. */
export async function chat(
  client: Client,
  name: string,
  random: () => number,
  over: () => boolean,
  pace: () => Promise<void>,
): Promise<void> {
  const sessionId = await client.open(name)
  for (let number = 1; !over(); number += 1) {
    await pace()
    const kind = Object.keys(kinds)[Math.floor(random() * Object.keys(kinds).length)]!
    const id = `${name}-${number}`
    const receipt = await client.send(sessionId, id, `${kind} ${id}`, random() < 0.2 ? { followup: true } : {})
    if (random() < 0.7) await client.settled(receipt.mailId)
  }
}

/** Commands ran once at most, and each that is not known to have run says so. */
export function badEffects(place: FaultPlace, rows: Rows): string[] {
  const lines = linesOf(join(place.project, 'lines.txt'))
  const parts = rows.messages.flatMap((message) => [
    ...callsIn(JSON.parse(message.parts)),
    ...resultsOf(JSON.parse(message.parts)),
  ])
  const results = new Map(parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId, part] as const] : [])))
  return parts.flatMap((part) => {
    if (part.type !== 'tool-call' || part.name !== 'bash') return []
    const id = String((part.input as { command: string }).command.split(' ')[1])
    const times = lines.filter((line) => line === id).length
    const result = results.get(part.callId)
    const unknown = result?.error === true && String(result.output).includes('outcome unknown')
    if (times > 1) return [`${id} was written ${times} times`]
    return times === 1 || unknown ? [] : [`${id} was not written, and its result is ${JSON.stringify(result?.output)}`]
  })
}
