import { AppError } from '../../contract/errors.ts'
import type { EventData, EventType } from '../../contract/events.ts'
import type { NodeId, RunId, SessionId, TaskId } from '../../contract/ids.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import type { NewEvent } from '../../store/events.ts'
import { fenceSession, findSession, lockSession, type SessionChange, updateSession } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { insertTimer } from '../../store/timers.ts'
import type { Core, Lease } from './core.ts'

/** A consistent read. */
export type Read = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** A transaction in the making: rows through `db`, events through `record`, hints for after the commit. */
export interface Tx {
  readonly db: Db
  readonly now: number
  /** For a text that is cut before it is written: the store masks rows, but cannot recognise half a secret. */
  mask(text: string): string
  record<T extends EventType>(type: T, about: About, data: EventData<T>): void
  after(hint: () => void): void
  /** A hint that a timer row was set for this moment. */
  alarm(due: number): void
}

/** What an event is about. A `taskId`, `runId` or `nodeId` in the event's own data counts instead of this one. */
interface About {
  readonly project: string
  readonly sessionId?: SessionId
  readonly taskId?: TaskId
  readonly runId?: RunId
  readonly nodeId?: NodeId
}

/** The session's fence was raised: someone else runs it now, or it was deleted. Nothing was written. */
export class LeaseLost extends Error {
  constructor(sessionId: SessionId) {
    super(`The lease on session ${sessionId} was lost.`)
    this.name = 'LeaseLost'
  }
}

/** A person can stop what fills the disk, also when it is full. */
const endsWork = new Set(['session.pause', 'session.cancel', 'session.close', 'session.delete'])

/** The only way state changes: rows and their events commit together; `name` is a crash point before and after. */
export async function transact<T>(core: Core, name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const events: NewEvent[] = []
  const hints: (() => void)[] = []
  const unit = async (db: Db): Promise<T> => {
    // A transaction that is tried again begins with nothing recorded.
    events.length = 0
    hints.length = 0
    const now = core.clock.now()
    const tx: Tx = {
      db,
      now,
      mask: core.mask,
      record: (type, about, data) => {
        events.push({
          at: now,
          type,
          project: about.project,
          sessionId: about.sessionId ?? null,
          taskId: 'taskId' in data ? data.taskId : (about.taskId ?? null),
          runId: 'runId' in data ? data.runId : (about.runId ?? null),
          nodeId: 'nodeId' in data ? data.nodeId : (about.nodeId ?? null),
          data,
          json: JSON.stringify(data),
        })
      },
      after: (hint) => hints.push(hint),
      alarm: (due) => hints.push(() => core.alarm(due)),
    }
    const result = await work(tx)
    if (core.runner !== undefined) await mustHold(db, core.runner)
    await core.store.appendEvents(db, events)
    crashPoint(`${name}.before-commit`)
    return result
  }
  const value = await core.store.write(unit, { urgent: endsWork.has(name) })
  crashPoint(`${name}.after-commit`)
  if (events.length > 0) core.bus.committed(events)
  for (const hint of hints) hint()
  return value
}

/**
 * Checks the fence last and takes no lock: the tool may have locked another session's row, and two are never locked at
 * once. A tool that writes its own session's row has locked it by then.
 */
async function mustHold(db: Db, { sessionId, fence }: NonNullable<Core['runner']>): Promise<void> {
  const session = await findSession(db, sessionId)
  if (session?.fence !== fence || session.deleted_at !== null) throw new LeaseLost(sessionId)
}

/** The only way a turn writes: its first statement checks the fence. What `work` changes in the row is written once. */
export async function asRunner<T>(
  core: Core,
  lease: Lease,
  name: string,
  work: (tx: Tx, session: SessionRow) => Promise<T>,
): Promise<T> {
  return transact(core, name, async (tx) => {
    const session = await fenceSession(tx.db, lease.sessionId, lease.fence)
    if (session === undefined || session.deleted_at !== null) {
      crashPoint(`${name}.refused`)
      throw new LeaseLost(lease.sessionId)
    }
    return changing(tx, session, work)
  })
}

/** The way everyone else writes to a session: the row is locked, then changed in place, then written once. */
export async function onSession<T>(
  core: Core,
  sessionId: SessionId,
  name: string,
  work: (tx: Tx, session: SessionRow) => Promise<T>,
): Promise<T> {
  return transact(core, name, async (tx) => {
    const session = await lockSession(tx.db, sessionId)
    if (session === undefined) throw new AppError('session.not_found', `There is no session ${sessionId}.`)
    return changing(tx, session, work)
  })
}

/** Writes once, at the end, what `work` changed in a row that this transaction holds. */
export async function changing<T>(
  tx: Tx,
  session: SessionRow,
  work: (tx: Tx, session: SessionRow) => Promise<T>,
): Promise<T> {
  const before = { ...session }
  const value = await work(tx, session)
  const change: Record<string, unknown> = {}
  let changed = false
  for (const key in before) {
    const value = session[key as keyof SessionRow]
    if (value === before[key as keyof SessionRow]) continue
    change[key] = value
    changed = true
  }
  if (session.status !== before.status) {
    tx.record('session.status', aboutSession(session), {
      from: before.status,
      to: session.status,
      ...(session.reason === null ? {} : { reason: session.reason }),
    })
    // A worker that begins leaves the run as it stands; when its node begins, that is told of by itself.
    if (session.run_id !== null && (session.worker === null || session.status !== 'running'))
      await boardLooks(tx, session.run_id)
  }
  if (session.status === before.status && session.reason !== before.reason) {
    tx.record('session.updated', aboutSession(session), { changed: { reason: session.reason } })
  }
  if (changed) await updateSession(tx.db, session.id, change as SessionChange)
  return value
}

/** Whether anything still goes on in a run is seen by its board, whose errand this is. */
export async function boardLooks(tx: Tx, ref: RunId): Promise<void> {
  await insertTimer(tx.db, { id: `board:${ref}`, due_at: tx.now, kind: 'board', ref, session_id: null, payload: '{}' })
  tx.alarm(tx.now)
}

export const aboutSession = (session: SessionRow) => ({
  project: session.project_id,
  sessionId: session.id,
  ...(session.task_id === null ? {} : { taskId: session.task_id }),
  ...(session.run_id === null ? {} : { runId: session.run_id }),
  ...(session.node_id === null ? {} : { nodeId: session.node_id }),
})
