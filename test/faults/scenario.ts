import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../vendor/server.ts'
import { type Acknowledged, createClient } from './client.ts'
import { type LifeOptions, startLife } from './life.ts'
import type { Place } from './place.ts'
import { type Rows, readRows } from './rows.ts'
import type { Exit } from './server.ts'

export const ANSWER = 'the blue one'
export const TODOS = [{ content: 'Paint it', status: 'pending', priority: 'medium' }]

/** What came of a run, from those who do not crash with the server: the client, the vendor, the database. */
export interface Outcome {
  readonly acknowledged: Acknowledged
  readonly requests: number
  readonly rejections: readonly string[]
  readonly rows: Rows
  /** The lines that the command of the scenario wrote. */
  readonly lines: readonly string[]
  readonly crashes: number
  readonly exit: Exit
}

/** What the model says, by how many answers of it are in the history: asked again after a crash, it says the same again. */
const steps: readonly Reply[] = [
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
      { name: 'bash', input: { command: 'echo line >> lines.txt; echo written' } },
    ],
  },
  { calls: [{ name: 'ask_human', input: { question: 'Which one?' } }] },
  { text: 'It is done.' },
  { text: 'And so is what came after.' },
]

/**
 * One conversation: two tools side by side, a mail queued and one held meanwhile, a keyed tool, a command, a question, a
 * mail queued while it waits, the answer, the held mail. Whoever crashes is started again, until all of it is through.
 */
export async function runScenario(place: Place, options: LifeOptions = {}): Promise<Outcome> {
  const { vendor } = place
  const asked = Promise.withResolvers<void>()
  const queued = Promise.withResolvers<void>()
  vendor.script(({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length
    asked.resolve()
    // The next mails must find the session at work, so the first answer waits for them.
    return { ...steps[Math.min(said, steps.length - 1)]!, ...(said === 0 ? { delay: queued.promise } : {}) }
  })

  const life = startLife(place, options)
  const client = createClient(life)
  const session = await client.open('session')
  const first = await client.send(session, 'first', 'Please begin.')
  await Promise.race([asked.promise, life.broken])
  await client.send(session, 'second', 'One more thing.')
  const held = await client.send(session, 'third', 'And afterwards this.', { followup: true })
  queued.resolve()
  const parked = await client.settled(first.mailId)
  const question = parked.waits?.[0]?.inboxId
  if (question === undefined) throw new Error(`It was not asked: ${JSON.stringify(parked)}`)
  await client.send(session, 'fourth', 'While you wait.', { followup: true })
  await client.answer(question, ANSWER)
  const end = await client.settled(held.mailId)
  if (!end.ended) throw new Error(`It did not end: ${JSON.stringify(end)}`)
  const exit = await life.stop()

  return {
    acknowledged: client.acknowledged,
    requests: vendor.requests.length,
    rejections: vendor.rejections.map(({ reason }) => reason),
    rows: await readRows(place),
    lines: linesOf(join(place.project, 'lines.txt')),
    crashes: life.crashes,
    exit,
  }
}

/** The model calls of a run that nothing disturbs. */
export const STEPS = steps.length

export const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
