import type { Task, TaskBranch } from '../../src/contract/tasks.ts'
import { eventually } from '../kit/processes.ts'
import type { Reply, SeenMessage } from '../kit/vendor/server.ts'
import type { Acknowledged, Client } from './client.ts'
import { badEvents, badLog, gaveUp } from './invariants.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rest, rowsOf } from './rows.ts'

const ANSWER = 'Go on.'
const PATIENCE_SECONDS = 240

/** What came of it, as seen by those who do not crash with the server. */
interface Work {
  readonly number: number
  readonly root: string
  readonly never: string
}

/**
 * A person gives a task that gives one itself, which asks; the person answers; the first one fails and is tried again.
 * Another task is called off.
 */
async function give(place: FaultPlace, life: Life, client: Client, number: number): Promise<Work> {
  const word = (name: string): string => `${name}#${number}#`
  place.vendor.script(({ messages }) => rootSays(messages, word('leaf')), { word: word('root') })
  place.vendor.script(({ messages }) => leafSays(messages), { word: word('leaf') })
  place.vendor.script(() => ({ calls: [{ name: 'sleep', input: { seconds: 300 } }] }), { word: word('never') })

  const make = async (name: string): Promise<string> => {
    const body = { agent: 'writer', input: { prompt: word(name) }, clientId: word(name) }
    return (await client.request<Task>('POST', '/api/tasks', body)).body.id
  }
  const becomes = (id: string, status: Task['status']) =>
    inTime(
      life,
      async () => (await client.request<Task>('GET', `/api/tasks/${id}`)).body.status === status || undefined,
    )

  const root = await make('root')
  const leaf = await inTime(life, async () => {
    const { items } = (await client.request<{ items: TaskBranch[] }>('GET', `/api/tasks/${root}/tree`)).body
    return items.find(({ depth, status }) => depth === 1 && status === 'waiting')?.id
  })
  await becomes(root, 'waiting')
  // Whoever asks again after a crash may hear that it was done.
  await must(client, 'POST', `/api/tasks/${leaf}/respond`, { message: ANSWER })
  await becomes(root, 'failed')
  await must(client, 'POST', `/api/tasks/${root}/retry`, {})
  await becomes(root, 'finished')
  const never = await make('never')
  await becomes(never, 'waiting')
  await must(client, 'DELETE', `/api/tasks/${never}`)
  await becomes(never, 'canceled')
  await rest(place, life, PATIENCE_SECONDS)
  return { number, root, never }
}

function rootSays(messages: readonly SeenMessage[], leaf: string): Reply {
  const said = messages.filter(({ role }) => role === 'assistant').length
  const made = messages.flatMap(({ results }) => results.flatMap(({ text }) => /task_\w+/.exec(text)?.[0] ?? []))
  if (said === 0) return { calls: [{ name: 'task_create', input: { agent: 'coder', input: { prompt: leaf } } }] }
  if (said === 1) return { calls: [{ name: 'task_subscribe', input: { taskId: made[0] } }] }
  if (said === 2) return { text: 'Given.' }
  return messages.at(-1)?.text.includes('tried again') ? { text: 'All done.' } : { error: { kind: 'bad-request' } }
}

const leafSays = (messages: readonly SeenMessage[]): Reply =>
  messages.some(({ role }) => role === 'assistant')
    ? { text: 'Green.' }
    : { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }

async function must(client: Client, method: string, path: string, body?: unknown): Promise<void> {
  const answer = await client.request<unknown>(method, path, body)
  if (answer.status !== 200 && answer.status !== 409)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
}

async function inTime<T>(life: Life, look: () => Promise<T | undefined>): Promise<T> {
  const found = await Promise.race([life.broken, eventually(look, PATIENCE_SECONDS)])
  return found as T
}

/** One task, one session and one first mail for each order; one answer, one retry, one notice; nothing is left open. */
function verdict({ number, root, never }: Work, _: Acknowledged, all: Rows): string[] {
  const own = all.tasks.filter(({ instruction }) => instruction.endsWith(`#${number}#`))
  const rows = rowsOf(all, new Set(own.map(({ session_id }) => session_id)))
  const found = all.damage.map((line) => `the database is damaged: ${line}`)
  const ends = own.map(({ instruction, status, retries }) => `${instruction.split('#')[0]} ${status} ${retries}`)
  if (ends.toSorted().join() !== 'leaf finished 0,never canceled 0,root finished 1') found.push(`the tasks: ${ends}`)
  if (!own.some(({ id }) => id === root) || !own.some(({ id }) => id === never)) found.push('an answer named another')
  if (rows.sessions.length !== 3) found.push(`${rows.sessions.length} sessions`)
  for (const session of rows.sessions) {
    const { id, status, wanted_at, lease_owner, turn_id } = session
    if (status !== 'closed' || wanted_at !== null || lease_owner !== null || turn_id !== null)
      found.push(`session ${id} is ${status} and not at rest`)
    found.push(...badLog(id, rows), ...badEvents(id, rows))
  }
  for (const { id, content, state } of rows.mail) {
    const times = rows.messages.filter(({ mail_id }) => mail_id === id).length
    if (state !== 'taken' || times !== 1) found.push(`mail "${content}" is ${state} and in ${times} messages`)
  }
  const told = rows.mail.filter(({ from_kind }) => from_kind === 'system').map(({ content }) => content)
  if (told.filter((text) => text.includes('Green.')).length !== 1) found.push(`the notices: ${told.join(' | ')}`)
  if (told.filter((text) => text.includes('tried again')).length !== 1) found.push(`the retries: ${told.join(' | ')}`)
  // That the first one failed is told in one notice for all that fail meanwhile.
  const questions = rows.inbox.filter(({ kind }) => kind !== 'notice')
  const answered = questions.map(({ status, answer }) => `${status} ${answer}`)
  if (answered.join() !== `answered ${JSON.stringify({ answer: ANSWER })}`) found.push(`the questions: ${answered}`)
  if (rows.turns.some(gaveUp)) found.push('a turn was given up after one crash')
  if (rows.subscriptions.some(({ state }) => state !== 'told')) found.push('a subscriber was not told')
  if (rows.timers.length > 0) found.push(`left: ${rows.timers.map(({ id }) => id)}`)
  return found
}

export const tasks = { run: give, verdict }

/** The transactions that only this play has, before and after their commit. */
export const ofTasks = (points: readonly string[]): string[] =>
  points.filter((point) => /^(task\.(create|respond|retry|subscribe)|session\.cancel)\./.test(point))
