import { newId } from '../../lib/ids.ts'
import { updateCall } from '../../store/calls.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { findTask, hasEnded } from '../../store/tasks.ts'
import { insertTimer } from '../../store/timers.ts'
import { aboutSession, type Core, type Park, type Tx } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import { kinds } from './kinds.ts'
import { lookAgain } from './resolve.ts'

/** The call waits from now on: its row says for what, and a timer how long, where there is a limit. */
export async function park(core: Core, tx: Tx, session: SessionRow, call: CallRow, park: Park): Promise<void> {
  const row = await parkedRow(core, tx, session, call, park)
  const { state, kind, waits_for, inbox_id } = row
  await updateCall(tx.db, call.id, { state, kind, waits_for, inbox_id })
  const { until } = park
  if (until !== undefined && !(await endsTask(tx, session, until, park.longest))) {
    const timer = { id: call.id, due_at: until, kind: 'call', ref: call.id, session_id: session.id, payload: '{}' }
    await insertTimer(tx.db, timer)
    tx.alarm(until)
  }
  // What the call waits for may have come while it still ran.
  await lookAgain(core, tx, session, row, 'at once')
}

/** How many of the sessions that a call waits for its event names. */
const SESSIONS = 20

/** The row of a call that waits. When a person has to end the wait, their inbox gets an item. */
export async function parkedRow(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  { park: kind, ...waitsFor }: Park,
): Promise<CallRow> {
  const { person, behind } = kinds[kind]
  const inboxId = person === undefined ? null : (waitsFor.inboxId ?? newId('inbox'))
  const row: CallRow = { ...call, state: 'parked', kind, waits_for: JSON.stringify(waitsFor), inbox_id: inboxId }
  if (person !== undefined && inboxId !== null)
    await addInbox(tx, session, { id: inboxId, callId: call.id, ...(await person.item(core, tx, session, row)) })
  const sessions = (await behind?.(tx.db, row))?.slice(0, SESSIONS)
  tx.record('call.parked', aboutSession(session), {
    callId: call.id,
    name: call.name,
    kind,
    ...(inboxId === null ? {} : { inboxId }),
    ...(sessions === undefined ? {} : { sessions }),
  })
  return row
}

/** A wait that would outlast its task's limit needs no timer of its own: the task's limit comes first. */
async function endsTask(tx: Tx, { task_id }: SessionRow, until: number, longest = false): Promise<boolean> {
  const task = task_id === null ? undefined : await findTask(tx.db, task_id)
  if (task === undefined || hasEnded(task)) return false
  return longest || until > tx.now + task.max_wait_ms
}
