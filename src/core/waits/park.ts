import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { updateCall } from '../../store/calls.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { insertTimer } from '../../store/timers.ts'
import { findTurn } from '../../store/turns.ts'
import { type Asked, aboutSession, type Core, type Park, type Tx } from '../base/index.ts'
import { addInbox, whoAskedWhom } from '../inbox/index.ts'
import { describeCall, whereOf } from '../sessions/index.ts'
import { lookAgain } from './resolve.ts'
import { hasEnded } from './tasks.ts'

/** The call waits: it becomes a row with what ends it. */
export async function park(
  core: Core,
  tx: Tx,
  session: SessionRow,
  { call, park }: { readonly call: CallRow; readonly park: Park },
): Promise<void> {
  if (park.park === 'approval') {
    const asked = await askFor(core, tx, session, call, {
      ...park.asked,
      because: `${park.because} (it changed since)`,
    })
    return updateCall(tx.db, call.id, asked)
  }
  const inboxId = park.park === 'question' ? newId('inbox') : null
  const kept = keptOf(park)
  const parked = {
    ...call,
    state: 'parked',
    kind: park.park,
    ref: 'mailId' in park ? park.mailId : null,
    inbox_id: inboxId,
  }
  await updateCall(tx.db, call.id, {
    state: 'parked',
    kind: parked.kind,
    ref: parked.ref,
    inbox_id: inboxId,
    ...(kept === undefined ? {} : { resolution: kept }),
  })
  tx.record('call.parked', aboutSession(session), {
    callId: call.id,
    name: call.name,
    kind: park.park,
    ...(inboxId === null ? {} : { inboxId }),
  })
  if (park.park === 'question') {
    return addInbox(tx, session, {
      id: inboxId!,
      callId: call.id,
      kind: 'question',
      title: shorten(tx.mask(park.question), 120),
      body: park.question,
      ...(park.options === undefined ? {} : { options: park.options }),
    })
  }
  if (!(await endsTask(tx, session, park))) {
    await insertTimer(tx.db, {
      id: call.id,
      due_at: park.until,
      kind: 'call',
      ref: call.id,
      session_id: session.id,
      payload: park.park === 'timer' ? JSON.stringify({ output: park.result }) : '{}',
    })
    tx.alarm(park.until)
  }
  // What it would wait for may have come while it ran.
  if (park.park !== 'timer') await lookAgain(core, tx, session, { ...parked, resolution: kept ?? null }, 'at once')
}

/** A wait that would outlast what its task may wait has no end of its own: the task's comes first. */
async function endsTask(
  tx: Tx,
  { task_id }: SessionRow,
  park: { readonly until: number; readonly longest?: boolean },
): Promise<boolean> {
  const task = task_id === null ? undefined : await findTask(tx.db, task_id)
  if (task === undefined || hasEnded(task)) return false
  return park.longest === true || park.until > tx.now + task.max_wait_ms
}

/** What a call must know when it is resolved; it stands where its result will be. */
function keptOf(park: Park): string | undefined {
  if (park.park === 'ask') return JSON.stringify({ created: park.created })
  return 'taskIds' in park ? JSON.stringify({ taskIds: park.taskIds, need: park.need }) : undefined
}

/** Puts an approval into the inbox; what it is bound to stays with the call. */
export async function askFor(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  { because, ...asked }: Asked & { because: string },
): Promise<Partial<CallRow>> {
  const inboxId = newId('inbox')
  const { changesRights, bound, always } = asked
  const lineage = await whoAskedWhom(tx.db, session, await findTurn(tx.db, call.turn_id))
  tx.after(() => {
    const where = whereOf(session.id, session.agent)
    core.security('approval.asked', where, [`${inboxId} ${call.name}: ${because}`, ...lineage].join('\n'))
  })
  await addInbox(tx, session, {
    id: inboxId,
    callId: call.id,
    kind: 'approval',
    title: `${session.agent} wants to use ${call.name}${changesRights ? ' (changes what agents may do)' : ''}`,
    body: describeCall(call, session.workspace, because, lineage),
  })
  tx.record('call.parked', aboutSession(session), { callId: call.id, name: call.name, kind: 'approval', inboxId })
  const resolution = JSON.stringify({ changesRights, bound, always })
  return { state: 'parked', kind: 'approval', inbox_id: inboxId, resolution }
}
