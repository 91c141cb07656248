import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { Task } from '../../src/contract/tasks.ts'
import { until } from '../../src/core/base/events.ts'
import { transact } from '../../src/core/base/transaction.ts'
import type { MailRow, TaskRow } from '../../src/store/tables.ts'
import { REFLECTION } from './vendor/reflections.ts'
import type { World } from './world.ts'

const PATIENCE_MS = 50_000

/** Resolves when nothing is left that would go on by itself. */
export async function atRest(world: World): Promise<void> {
  const { core } = world.server
  const far = ['limit', 'nudge', ...('at' in core.clock ? ['files'] : [])]
  const busy = () =>
    core.store.read
      .selectFrom('sessions')
      .select('id')
      .where((is) => is.or([is('wanted_at', 'is not', null), is('status', '=', 'running')]))
      // One statement reads both, so that whoever sees an errand gone also sees what it did.
      .unionAll(
        core.store.read
          .selectFrom('timers')
          .select('id')
          .where('kind', 'not in', ['call', 'mail', 'wait', 'trigger', 'stage'])
          // The time of a run, and its next cycle, may be far away. Where the clock stands still, so is every other time.
          .where((is) => is.or([is('kind', 'not in', far), is('due_at', '<=', core.clock.now())])),
      )
      .execute()
  const look = async () => (await busy()).length === 0 || undefined
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await until(core, look, { seconds: 0.2 })) return
  }
  throw new Error(`Still at work: ${JSON.stringify(await busy())}`)
}

export const sessions = async (world: World): Promise<Session[]> =>
  (await world.ok<{ items: Session[] }>('GET', '/api/sessions?limit=200')).items

/** The newest session of an agent, once it has this status. */
export const sessionOf = (world: World, agent: string, status?: Session['status']): Promise<Session> =>
  world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', `/api/sessions?agent=${agent}`)
    return status === undefined ? items[0] : items.find((session) => session.status === status)
  })

export const mails = (world: World): Promise<MailRow[]> =>
  world.server.core.store.read.selectFrom('mail').selectAll().orderBy('created_at').execute()

export const tasks = (world: World): Promise<TaskRow[]> =>
  world.server.core.store.read.selectFrom('tasks').selectAll().orderBy('created_at').orderBy('hops').execute()

/** A task that a person gives. */
export const giveTask = (world: World, prompt: string, more: Record<string, unknown> = {}): Promise<Task> =>
  world.ok<Task>('POST', '/api/tasks', { agent: 'writer', input: { prompt }, ...more })

/** A task as the API shows it, once it has this status. */
export const taskBecomes = (world: World, id: string, status: Task['status']): Promise<Task> =>
  world.eventually(async () => {
    const task = await world.ok<Task>('GET', `/api/tasks/${id}`)
    return task.status === status && task
  })

/** The task with this instruction, once it has this status. */
export const taskOf = (world: World, instruction: string, status: string): Promise<TaskRow> =>
  world.eventually(async () =>
    (await tasks(world)).find((task) => task.instruction === instruction && task.status === status),
  )

/** The texts in a session's log that others wrote, in order, without what a worker is asked about each node. */
export const heard = async (world: World, session: Pick<Session, 'id'>): Promise<string[]> =>
  texts(await world.messages(session.id), 'user').filter((text) => !text.includes(REFLECTION))

export const texts = (log: readonly Message[], role: Message['role']): string[] =>
  log.filter((message) => message.role === role).map(({ parts }) => textOf(parts))

/** The notices of the system in a session's log; notices that share a message are listed one by one. */
export async function notices(world: World, session: string): Promise<string[]> {
  const told = (await world.messages(session)).filter(({ from }) => from?.kind === 'system')
  const rows = (await mails(world)).toSorted((a, b) => a.position - b.position)
  return told.flatMap(({ parts, mailId }) => {
    const text = textOf(parts)
    if (text.includes(REFLECTION)) return []
    const own = rows.filter(({ id, told_with }) => mailId === id || (told_with !== null && mailId === told_with))
    return own.length > 1 ? own.map(({ content }) => (text.includes(content) ? content : '')) : [text]
  })
}

/** How often a session read this text, as the result of a call or as a message. */
export async function timesRead(world: World, session: string, text: string): Promise<number> {
  const log = await world.messages(session)
  return log.filter(({ role, parts }) => role !== 'assistant' && JSON.stringify(parts).includes(text)).length
}

/** As many notes in the record, numbered from `first`. */
export async function note({ server: { core } }: World, count: number, first = 0, text = ''): Promise<void> {
  await transact(core, 'test.note', async (tx) => {
    for (let at = first; at < first + count; at++) {
      tx.record('log', { project: core.project.id }, { level: 'info', message: `note ${at}`, metadata: { text } })
    }
  })
}

/** What the server wrote down about refusals and about changes of trust. */
export function securityLog({ home }: World): string {
  const file = join(home, 'logs', 'security.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Nobody has ended the server: the first thing it does then is to take away the file that says where it is. */
export const isServing = ({ home }: World): boolean => existsSync(join(home, 'server.json'))

/** All that a request could have changed. */
export async function rows({ server }: World): Promise<unknown> {
  const db = server.core.store.read
  const tables = ['sessions', 'mail', 'events', 'inbox', 'messages'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
}
