import { existsSync } from 'node:fs'
import { isProblem } from '../../contract/errors.ts'
import type { TriggerId } from '../../contract/ids.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findProjectPath } from '../../store/projects.ts'
import { lockSession } from '../../store/sessions.ts'
import type { SessionRow, TimerRow, TriggerRow } from '../../store/tables.ts'
import { postponeTimer, takeTimer } from '../../store/timers.ts'
import { findTrigger, lockTrigger, whenOf } from '../../store/triggers.ts'
import { type Core, changing, type Project, type Tx, transact } from '../base/index.ts'
import type { Done, PreparedAct, Withheld } from './action.ts'
import { type Due, dueAt } from './due.ts'
import { dueOfIdle } from './idle.ts'
import {
  moveOn,
  type Occurrence,
  recordActed,
  recordPassed,
  recordSkipped,
  stopTrigger,
  tellPerson,
  timeOccasion,
} from './ledger.ts'
import { seriesOf } from './occurrences.ts'
import { occurrenceOf, type Ready, readyFor } from './prepare.ts'

/** A host that has no folder of the project leaves the trigger to one that has. */
const ELSEWHERE_MS = 2000

/** The timer of a trigger rings: what is due gets its outcome, and the timer is set for what is next. */
export async function serveTrigger(core: Core, timer: TimerRow): Promise<void> {
  const row = await findTrigger(core.store.read, timer.ref)
  if (row?.status !== 'active' || row.next_due === null) return drop(core, timer)
  const when = whenOf(row)
  if (when === undefined) return stop(core, row, 'When it fires cannot be read.')
  const project = await projectHere(core, row)
  if (project === undefined && !core.store.alone) return leaveToOthers(core, timer)
  const now = core.clock.now()
  const due =
    when.type === 'on_idle'
      ? await dueOfIdle(core, row, when.config, now)
      : dueAt(seriesOf(when, row.anchor_at)!, {
          nextDue: row.next_due,
          now,
          catchUp: row.catch_up,
          once: row.type === 'at_time',
        })
  const one = due.act && occurrenceOf(row, due.act.occasion ?? timeOccasion(due.act.due), due.act.due)
  const ready = one && (await readyFor(core, { row, when, project, one }))
  crashPoint('trigger.prepared')
  await settle(core, { row, timer, due, one, ready })
}

interface Settling {
  /** As it was when the act was prepared. */
  readonly row: TriggerRow
  readonly timer: TimerRow
  readonly due: Due
  readonly one: Occurrence | undefined
  readonly ready: Ready | undefined
}

/** One transaction: the outcome of each occurrence, the effect of the one that is acted on, and the next due time. */
function settle(core: Core, { row, timer, due, one, ready }: Settling): Promise<void> {
  return acting(core, 'trigger.fire', ready?.act, async (tx, run) => {
    const fresh = await lockTrigger(tx.db, row.id)
    // Somebody moved, paused or served it meanwhile, and set the timer anew.
    if (fresh?.status !== 'active' || fresh.next_due !== row.next_due) return
    if (!(await takeTimer(tx.db, timer))) return
    const passed = await recordPassed(tx, fresh, due, whyPassed(due))
    const outcome = one && due.act ? await recordOutcome(tx, fresh, one, due.act.outcome, await run()) : undefined
    await moveOn(tx, fresh, {
      next: due.next,
      acted: outcome?.acted ?? false,
      outcome: outcome?.outcome ?? (passed ? due.as : undefined),
      reason: outcome?.reason,
      seen: ready?.seen ?? due.act?.seen,
    })
  })
}

const NOTHING: Withheld = { skip: 'Nothing was to be done.', tells: 'nobody' }

/**
 * Runs an act inside a transaction with the row of its session locked first. What the act is refused is written as the
 * reason, in a second transaction, because the first is undone.
 */
export function acting(
  core: Core,
  name: 'trigger.fire' | 'trigger.event' | 'trigger.now',
  act: PreparedAct | Withheld | undefined,
  work: (tx: Tx, run: () => Promise<Done>) => Promise<void>,
): Promise<void> {
  const once = (withheld?: Withheld): Promise<void> =>
    transacted(core, name, (tx) => {
      if (withheld !== undefined || act === undefined || 'skip' in act)
        return work(tx, async () => withheld ?? (act as Withheld | undefined) ?? NOTHING)
      return withSession(tx, act.sessionId, (session) => work(tx, () => act.run(tx, session)))
    })
  return once().catch((error: unknown) => {
    if (!isProblem(error)) throw error
    return once({ skip: error.message })
  })
}

/** Each name is a boundary of its own for tests of crashes. */
const transacted = (core: Core, name: Parameters<typeof acting>[1], work: (tx: Tx) => Promise<void>): Promise<void> => {
  if (name === 'trigger.fire') return transact(core, 'trigger.fire', work)
  return name === 'trigger.event' ? transact(core, 'trigger.event', work) : transact(core, 'trigger.now', work)
}

async function withSession<T>(tx: Tx, id: string | undefined, work: (session?: SessionRow) => Promise<T>): Promise<T> {
  const session = id === undefined ? undefined : await lockSession(tx.db, id)
  return session === undefined ? work() : changing(tx, session, (_, locked) => work(locked))
}

/** Writes what became of an occurrence. */
export async function recordOutcome(
  tx: Tx,
  row: TriggerRow,
  one: Occurrence,
  outcome: 'fired' | 'caught_up',
  done: Done,
): Promise<{ acted: boolean; outcome: 'fired' | 'caught_up' | 'skipped'; reason?: string }> {
  if (!('skip' in done)) {
    await recordActed(tx, row, one, outcome, done)
    return { acted: true, outcome }
  }
  await recordSkipped(tx, row, one, done)
  if (done.tells === undefined || done.tells === 'person')
    await tellPerson(tx, row, 'failed', `${row.name} could not act`, done.skip)
  return { acted: false, outcome: 'skipped', reason: done.skip }
}

const whyPassed = ({ as }: Due): string =>
  as === 'missed'
    ? 'Nothing ran at that time, and this trigger makes up for nothing (catchUp "none").'
    : 'One that came later stands for it.'

/** The project, where its folder is here. */
export async function projectHere(core: Core, { project_id }: TriggerRow): Promise<Project | undefined> {
  const path = await findProjectPath(core.store.read, project_id)
  return path !== undefined && existsSync(path) ? { id: project_id, path } : undefined
}

const leaveToOthers = (core: Core, timer: TimerRow): Promise<void> =>
  transact(core, 'trigger.elsewhere', (tx) => postponeTimer(tx.db, timer, tx.now + ELSEWHERE_MS, {}))

/** Nothing is due any more. Whoever resumes the trigger sets the timer anew. */
const drop = (core: Core, timer: TimerRow): Promise<void> =>
  transact(core, 'trigger.drop', async (tx) => {
    const row = await lockTrigger(tx.db, timer.ref)
    if (row?.status !== 'active' || row.next_due === null) await takeTimer(tx.db, timer)
  })

/** It cannot go on, and the person is told. */
const stop = (core: Core, { id }: Pick<TriggerRow, 'id'>, reason: string): Promise<void> =>
  transact(core, 'trigger.stop', (tx) => giveUpTrigger(tx, id, reason))

export async function giveUpTrigger(tx: Tx, id: TriggerId, reason: string): Promise<void> {
  const row = await lockTrigger(tx.db, id)
  if (row?.status === 'active') await stopTrigger(tx, row, reason)
}
