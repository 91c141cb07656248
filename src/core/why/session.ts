import { openCalls } from '../../store/calls.ts'
import { findPresence } from '../../store/presence.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTask, openTasksOf } from '../../store/tasks.ts'
import { newestEvent } from '../../store/why.ts'
import { isForOnce } from '../sessions/index.ts'
import {
  explain,
  inOneSentence,
  line,
  listed,
  type Named,
  nameOf,
  nameOfId,
  person,
  taskThing,
  type Waiting,
  wakes,
} from '../waits/index.ts'
import { askedNotes, firstSuppressed, mailNotes } from './mailbox.ts'
import { moneyReason } from './money.ts'
import { slotWait } from './pending.ts'
import type { Look, Reason } from './reason.ts'
import { isHeld, runnerReason } from './runner.ts'
import { serverNotes } from './servers.ts'
import { workReason } from './work.ts'

/** What a session is doing or waiting for. Every status has an answer. */
export async function sessionReason(look: Look, session: SessionRow): Promise<Reason> {
  const name = await nameOf(look, session)
  const reason = await reasonFor(look, session, name)
  const notes = [...(await askedNotes(look, session)), ...(await mailNotes(look, session))]
  const asked = session.compact_focus === null ? [] : [COMPACTION]
  const servers = await serverNotes(look, session)
  return { ...reason, notes: [...(reason.notes ?? []), ...asked, ...notes, ...servers] }
}

const COMPACTION = 'A person asked for a compaction; it comes at the next safe point with no open call.'

async function reasonFor(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  if (session.status === 'closed') return closed(look, session, name)
  if (session.status === 'paused') return paused(look, session, name)
  const task = session.task_id === null ? undefined : await findTask(look.db, session.task_id)
  const still = await standstill(look, session, name)
  if (still !== undefined) return still
  const slot = await slotWait(look, session, task)
  if (slot !== undefined) return { ...at(session, name), ...slot }
  if (await isHeld(look, session)) return workReason(look, session, name)
  if (session.wanted_at !== null || session.status === 'running') return runnerReason(look, session, name)
  if (session.status === 'waiting') return waiting(look, session, name)
  if (session.status === 'error') return failed(look, session, name)
  return idle(look, session, name)
}

/** Whatever it would do, it does when everything goes on. */
async function standstill(look: Look, session: SessionRow, name: Named): Promise<Reason | undefined> {
  if (session.wanted_at === null || session.lease_owner !== null) return undefined
  const { paused_since } = await findPresence(look.db)
  if (paused_since === null) return undefined
  return {
    ...at(session, name),
    since: paused_since,
    says: 'would go on, but everything is paused',
    waitsOn: [{ kind: 'person', ref: 'human', label: 'everything is paused' }],
    wakes: wakes('person', 'once everything is resumed'),
    unblock: [person('let everything go on', 'troupe resume --all')],
  }
}

async function waiting(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const money = await moneyReason(look, session)
  if (money !== undefined) return { ...at(session, name), ...money, unblock: [...money.unblock, endTurn(name)] }
  const waits = await explain(look, await openCalls(look.db, session.id), name)
  const cancel = endTurn(name)
  const [first] = waits
  if (first === undefined) {
    return {
      ...at(session, name),
      since: await since(look, session),
      says: 'has all it waited for, but no runner has taken it up yet',
      waitsOn: [{ kind: 'runner', ref: look.core.host, label: 'the next look for work' }],
      wakes: wakes('runner', 'the next look for work'),
      unblock: [cancel],
    }
  }
  const unblock = waits.flatMap((wait) => wait.unblock)
  return {
    ...at(session, name),
    since: Math.min(...waits.map((wait) => wait.since)),
    says: `waits ${inOneSentence(waits)}`,
    waitsOn: waits.flatMap(({ things }) => things),
    wakes: waits.length === 1 ? first.wakes : lastOf(waits),
    unblock: [...unblock.filter((one, index) => unblock.findIndex(sameAs(one)) === index), cancel],
    follows: waits.flatMap(({ follows }) => follows),
  }
}

const endTurn = ({ ref }: Named) => person('end the turn', `troupe sessions cancel ${ref}`)

const sameAs =
  (one: Waiting['unblock'][number]) =>
  (other: Waiting['unblock'][number]): boolean =>
    one.who === other.who && one.command === other.command

/** A step goes on when each of its calls has a result. */
function lastOf(waits: readonly Waiting[]): Reason['wakes'] {
  const needsPerson = waits.find(({ wakes: { by } }) => by === 'answer')
  const label = `all of: ${waits.map((wait) => wait.wakes.label).join('; ')}`
  return { by: (needsPerson ?? waits[0]!).wakes.by, label }
}

async function idle(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const base = { ...at(session, name), since: await since(look, session) }
  const send = person('give it something to do', `troupe send ${name.ref} "…"`)
  const children = (await openTasksOf(look.db, session.id)).toSorted((a, b) => a.created_at - b.created_at)
  if (children.length > 0) {
    const names = await Promise.all(children.map(({ session_id }) => nameOfId(look, session_id)))
    return {
      ...base,
      says: `has nothing to do until the work of ${listed(names.map(({ who }) => who))} ends`,
      waitsOn: children.map((task, index) => taskThing(look, task, names[index]!.who)),
      wakes: wakes('mail', 'the notice of a task that ends, or a message'),
      unblock: [send],
      follows: children.map(({ session_id }) => session_id),
    }
  }
  const suppressed = await firstSuppressed(look, session, name)
  if (suppressed !== undefined) {
    return {
      ...base,
      says: `is idle: mail of an agent did not wake it, because ${suppressed.because}`,
      waitsOn: [suppressed.thing],
      wakes: wakes('mail', 'a message of a person'),
      unblock: suppressed.unblock,
    }
  }
  return {
    ...base,
    says: 'is idle: it has nothing to do',
    waitsOn: [],
    wakes: wakes('mail', 'a message'),
    unblock: [send],
  }
}

async function failed(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  return {
    ...at(session, name),
    since: await since(look, session),
    says: 'stopped with an error',
    notes: [`Error: ${line(look, session.reason ?? 'not told', 500)}`],
    waitsOn: [{ kind: 'person', ref: 'human', label: 'it is not tried again by itself' }],
    wakes: wakes('mail', 'the next message'),
    unblock: [
      person('try once more', `troupe sessions resume ${name.ref}`),
      person('try with other words', `troupe send ${name.ref} "…"`),
    ],
  }
}

async function paused(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const open = session.turn_id === null ? [] : await openCalls(look.db, session.id)
  const waits = await explain(look, open, name)
  const money = await moneyReason(look, session)
  return {
    ...at(session, name),
    since: await since(look, session),
    says: session.turn_id === null ? 'is paused' : 'is paused in the middle of a turn',
    notes: [
      ...waits.map(({ says }) => `When resumed it waits ${says}.`),
      ...(money === undefined ? [] : [`When resumed it ${money.says}.`]),
    ],
    waitsOn: [
      { kind: 'person', ref: 'human', label: 'paused it and may resume it' },
      ...waits.flatMap(({ things }) => things),
    ],
    wakes: wakes('person', 'only a person who resumes it'),
    unblock: [
      person('resume it', `troupe sessions resume ${name.ref}`),
      ...waits.flatMap(({ unblock }) => unblock.filter(({ command }) => command?.startsWith('troupe inbox'))),
    ],
  }
}

async function closed(look: Look, session: SessionRow, name: Named): Promise<Reason> {
  const base = {
    ...at(session, name),
    since: session.closed_at ?? (await since(look, session)),
    waitsOn: [],
  }
  if (isForOnce(session)) {
    const task = session.task_id === null ? undefined : await findTask(look.db, session.task_id)
    return {
      ...base,
      says: `has ended its work${task === undefined ? '' : `: its task is ${task.status}`}`,
      wakes: wakes('nothing', 'nothing: its work is done, and it takes no more mail'),
      unblock: [person('read what it did', `troupe sessions messages ${name.ref}`)],
    }
  }
  return {
    ...base,
    says: 'is closed',
    wakes: wakes('mail', 'a message opens it again'),
    unblock: [
      person('open it again', `troupe sessions reopen ${name.ref}`),
      person('write to it', `troupe send ${name.ref} "…"`),
    ],
  }
}

const at = (session: SessionRow, { who }: Named) => ({ ref: session.id, state: session.status, who })

/** When the session came into its present status. */
async function since(look: Look, session: SessionRow): Promise<number> {
  const event = await newestEvent(look.db, session.id, ['session.status'])
  return event?.data.to === session.status ? event.at : session.created_at
}
