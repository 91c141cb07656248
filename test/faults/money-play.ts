import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Task } from '../../src/contract/tasks.ts'
import { eventually } from '../kit/processes.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rest } from './rows.ts'

/** What the play of this file comes by, and what comes after the crash of a process that had put money aside. */
export const moneyBoundaries = ['budget.answer', 'budget.look', 'budget.price', 'budget.settle', 'turn.settle'] as const

/** A million tokens of input cost ten cents, of output ten dollars. */
export const priced = { prices: { 'test-model': { input: 0.1, output: 10 } } }
/** So many tokens of output leave nothing for another answer under the limit. */
const FIRST = { tokens: 5000, limitUsd: 0.055 }
const SECOND_TOKENS = 100
const SECONDS = 120
const NANOS_A_TOKEN = 10_000

interface Paid {
  readonly number: number
  readonly task: string
  readonly session: string
}

const word = (name: string, number: number): string => `${name}#${number}#`

/** A task needs more than its budget, which a person raises. A session has a model whose price a person has to say. */
async function pay(place: FaultPlace, life: Life, client: Client, number: number): Promise<Paid> {
  place.vendor.script(
    ({ messages }) =>
      messages.some(({ role }) => role === 'assistant')
        ? { text: 'Done.', usage: { input: 0, output: SECOND_TOKENS } }
        : { calls: [{ name: 'list_dir', input: {} }], usage: { input: 0, output: FIRST.tokens } },
    { word: word('dear', number) },
  )
  place.vendor.script(() => ({ text: 'At that price.' }), { word: word('new', number) })
  const inTime = <T>(look: () => Promise<T | undefined>) =>
    Promise.race([life.broken, eventually(look, SECONDS, 100)]) as Promise<T>
  const asked = (fits: (item: InboxItem) => boolean) =>
    inTime(async () => (await client.request<{ items: InboxItem[] }>('GET', '/api/inbox')).body.items.find(fits))

  const body = {
    agent: 'writer',
    input: { prompt: word('dear', number) },
    limits: { maxCostUsd: FIRST.limitUsd },
    clientId: word('dear', number),
  }
  const task = (await client.request<Task>('POST', '/api/tasks', body)).body
  const short = await asked(({ title, from }) => from.sessionId === task.sessionId && title.includes('budget'))
  await client.answer(task.sessionId, short.id, 'raise to 1')
  await inTime(
    async () => (await client.request<Task>('GET', `/api/tasks/${task.id}`)).body.status === 'finished' || undefined,
  )

  const model = `lab/new-${number}`
  const opened = { agent: 'researcher', model, clientId: word('new', number) }
  const session = (await client.request<Session>('POST', '/api/sessions', opened)).body.id
  await client.settled((await client.send(session, `first ${number}`, word('new', number))).mailId)
  const price = await asked(({ title }) => title.includes(`${model} `))
  await client.answer(session, price.id, '2 10')
  await client.settled((await client.send(session, `second ${number}`, word('new', number))).mailId)
  await rest(place, life, SECONDS)
  return { number, task: task.id, session }
}

/** Each question was asked and answered once; each request counts once, at its cost or, when it was lost, in full. */
function verdict({ number, task: id, session }: Paid, _: unknown, rows: Rows): string[] {
  const found: string[] = []
  const [task, ...twins] = rows.tasks.filter(({ instruction }) => instruction === word('dear', number))
  if (task?.id !== id || twins.length > 0 || task.status !== 'finished')
    found.push(`the task is ${task?.status}, with ${twins.length} twins`)
  const questions = rows.inbox
    .filter(({ session_id }) => session_id === task?.session_id || session_id === session)
    .map(({ status, answer }) => `${status} ${answer && JSON.parse(answer).answer}`)
  if (questions.toSorted().join() !== 'answered 2 10,answered raise to 1') found.push(`the questions: ${questions}`)

  const budget = rows.budgets.find((row) => row.id.includes(id))
  const settled = (FIRST.tokens + SECOND_TOKENS) * NANOS_A_TOKEN
  const reserved = rows.events
    .filter(({ type, session_id }) => type === 'budget.reserved' && session_id === task?.session_id)
    .map(({ data }) => Math.round(JSON.parse(data).usd * 1e9))
  const lost = (budget?.spent_nanos ?? 0) - settled
  if (budget?.reserved_nanos !== 0) found.push(`${budget?.reserved_nanos} are still reserved`)
  if (reserved.length === 2 ? lost !== 0 : reserved.length !== 3 || !reserved.includes(lost))
    found.push(`${budget?.spent_nanos} spent, of the reserved ${reserved}`)
  if (rows.reservations.length > 0) found.push(`${rows.reservations.length} reservations are left`)

  const turns = rows.turns.filter(({ session_id }) => session_id === session).map(({ ended_as }) => ended_as)
  if (turns.toSorted().join() !== 'done,limit') found.push(`the turns at an unknown price: ${turns}`)
  return found
}

/** A limit for the day, under which every price must be known. */
const settings = { limits: { dailyCostUsd: 1000 } }

export const paying: Play<Paid> = { settings, provider: priced, run: pay, verdict }
