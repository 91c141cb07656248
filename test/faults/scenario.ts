import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'

export const ANSWER = 'the blue one'
export const NOTE = 'Half way there.'
export const TODOS = [{ content: 'Paint it', status: 'pending', priority: 'medium' }]

/** What came of one conversation, as seen by those who do not crash with the server. */
export interface Conversation {
  readonly sessionId: string
  /** How often the model was asked. */
  readonly requests: number
  /** The lines that its command wrote. */
  readonly lines: readonly string[]
  /** The lines that it left in memory. */
  readonly remembered: readonly string[]
  readonly crashes: number
}

/** What the model says, by how many answers of it are in the history: asked again after a crash, it says the same again. */
const steps = (file: string): readonly Reply[] => [
  {
    calls: [
      { name: 'read_file', input: { path: 'a.txt' } },
      { name: 'read_file', input: { path: 'b.txt' } },
    ],
  },
  {
    text: 'Now the work.',
    calls: [
      { name: 'todo_write', input: { todos: TODOS } },
      { name: 'log_write', input: { message: NOTE } },
      { name: 'memory_write', input: { content: NOTE, scope: 'user', path: file.replace('.txt', '.md') } },
      { name: 'bash', input: { command: `echo line >> ${file}; echo written` } },
    ],
  },
  { calls: [{ name: 'ask_human', input: { question: 'Which one?' } }] },
  { text: 'It is done.' },
  { text: 'And so is what came after.' },
]

/** The model calls of a conversation that nothing disturbs. */
export const STEPS = steps('').length

/**
 * Two tools side by side, a mail queued and one held meanwhile, keyed tools, a command, a question, a mail queued while
 * it waits, the answer, the held mail. The client goes on through every crash until all of it is done.
 */
export async function converse(place: FaultPlace, life: Life, client: Client, number: number): Promise<Conversation> {
  const word = `#${number}#`
  const file = `lines-${number}.txt`
  const before = life.crashes
  const asked = Promise.withResolvers<void>()
  const mailed = Promise.withResolvers<void>()
  let requests = 0
  place.vendor.script(
    ({ messages }) => {
      requests += 1
      asked.resolve()
      const said = messages.filter(({ role }) => role === 'assistant').length
      const reply = steps(file)[Math.min(said, STEPS - 1)]!
      // The next mails must find the session at work, so the first answer waits for them.
      return said === 0 ? { ...reply, delay: mailed.promise } : reply
    },
    { word },
  )

  const sessionId = await client.open(`session ${number}`)
  const first = await client.send(sessionId, `first ${number}`, `Please begin ${word}.`)
  await Promise.race([asked.promise, life.broken])
  await client.send(sessionId, `second ${number}`, 'One more thing.')
  const held = await client.send(sessionId, `third ${number}`, 'And afterwards this.', { followup: true })
  mailed.resolve()
  const parked = await client.settled(first.mailId)
  const question = parked.waits?.[0]?.inboxId
  if (question === undefined) throw new Error(`It did not ask: ${JSON.stringify(parked)}`)
  await client.send(sessionId, `fourth ${number}`, 'While you wait.', { followup: true })
  await client.answer(sessionId, question, ANSWER)
  const end = await client.settled(held.mailId)
  if (!end.ended) throw new Error(`It did not end: ${JSON.stringify(end)}`)
  const lines = linesOf(join(place.project, file))
  const remembered = linesOf(join(place.home, 'memory', file.replace('.txt', '.md')))
  return { sessionId, requests, lines, remembered, crashes: life.crashes - before }
}

export const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
