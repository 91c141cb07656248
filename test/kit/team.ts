import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { until } from '../../src/core/base/events.ts'
import type { MailRow, TaskRow } from '../../src/store/tables.ts'
import type { Reply, SeenRequest } from './vendor/reply.ts'
import type { World } from './world.ts'

/** What agents call to reach each other. */
export const tell = (to: string, message: string, more = {}) => ({
  name: 'agent_send',
  input: { to, message, ...more },
})
export const ask = (to: string, message: string) => ({ name: 'agent_message', input: { to, message, timeout: 600 } })
export const spawn = (agent: string, instruction: string, more: Record<string, unknown> = {}) => ({
  name: 'agent_spawn',
  input: { agent, instruction, returnMode: 'lastMessage', ...more },
})
export const waitFor = (taskIds: readonly string[], more: Record<string, unknown> = {}) => ({
  name: 'task_wait',
  input: { taskIds, ...more },
})
export const nap = { name: 'sleep', input: { seconds: 300 } }
export const askPerson = { name: 'ask_human', input: { question: 'Sure?' } }

/** What has just come: mail, or the results of its calls. */
export const hasMail = ({ messages }: SeenRequest): boolean => messages.at(-1)?.role === 'user'

/** The tasks that the results in a request name, in the order they were made. */
export const tasksIn = ({ messages }: SeenRequest): string[] => [
  ...new Set(messages.flatMap(({ results }) => results.flatMap(({ text }) => text.match(/task_[0-9a-z]+/g) ?? []))),
]

/** Each request is answered by the part whose word its first user text holds, step by step; the last step repeats. */
export function parts(
  world: World,
  script: Record<string, readonly (Reply | ((request: SeenRequest) => Reply))[]>,
): void {
  world.vendor.script((request) => {
    const first = request.messages.find(({ role }) => role === 'user')?.text ?? ''
    const steps = Object.entries(script).find(([word]) => first.includes(word))?.[1]
    const made = request.messages.filter(({ role }) => role === 'assistant').length
    const step = steps?.[Math.min(made, steps.length - 1)] ?? { text: `Heard: ${request.lastUserText}` }
    return typeof step === 'function' ? step(request) : step
  })
}

const PATIENCE_MS = 50_000

/** Nothing is left that would go on by itself. */
export async function atRest(world: World): Promise<void> {
  const { core } = world.server
  const busy = core.store.read
    .selectFrom('sessions')
    .select('id')
    .where((is) => is.or([is('wanted_at', 'is not', null), is('status', '=', 'running')]))
    // In one statement: what an errand did is seen with the errand gone.
    .unionAll(core.store.read.selectFrom('timers').select('id').where('kind', 'not in', ['call', 'mail', 'wait']))
  const look = async () => (await busy.execute()).length === 0 || undefined
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await until(core, look, { seconds: 0.2 })) return
  }
  throw new Error(`Still at work: ${JSON.stringify(await busy.execute())}`)
}

export const sessions = async (world: World): Promise<Session[]> =>
  (await world.ok<{ items: Session[] }>('GET', '/api/sessions?limit=200')).items

export const mails = (world: World): Promise<MailRow[]> =>
  world.server.core.store.read.selectFrom('mail').selectAll().orderBy('created_at').execute()

export const tasks = (world: World): Promise<TaskRow[]> =>
  world.server.core.store.read.selectFrom('tasks').selectAll().orderBy('created_at').orderBy('hops').execute()

/** What the system told a session, in its log; what it told in one message, one by one. */
export async function notices(world: World, session: string): Promise<string[]> {
  const told = (await world.messages(session)).filter(({ from }) => from?.kind === 'system')
  const rows = (await mails(world)).toSorted((a, b) => a.position - b.position)
  return told.flatMap(({ parts, mailId }) => {
    const text = textOf(parts)
    const own = rows.filter(({ id, told_with }) => mailId === id || (told_with !== null && mailId === told_with))
    return own.length > 1 ? own.map(({ content }) => (text.includes(content) ? content : '')) : [text]
  })
}

/** The task with this instruction, once it has this status. */
export const taskOf = (world: World, instruction: string, status: string): Promise<TaskRow> =>
  world.eventually(async () =>
    (await tasks(world)).find((task) => task.instruction === instruction && task.status === status),
  )

/** How often a session read this: as the result of a call, or as a message. */
export async function timesRead(world: World, session: string, text: string): Promise<number> {
  const log = await world.messages(session)
  return log.filter(({ role, parts }) => role !== 'assistant' && JSON.stringify(parts).includes(text)).length
}

export const act = (world: World, session: string, what: string): Promise<Session> =>
  world.ok<Session>('POST', `/api/sessions/${session}/${what}`)

/** A million tokens in cost a dollar, those out nothing. */
export function price(world: World): void {
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.providers.lab.prices = { 'test-model': { input: 1, output: 0 } }
  writeFileSync(file, JSON.stringify(settings))
}
export const dollar = { usage: { input: 1_000_000, output: 1 } }
