import type { RunId, SessionId } from '../../contract/ids.ts'
import type { RunStatus } from '../../contract/runs.ts'
import { settleInbox } from '../../store/inbox.ts'
import { isOpenNode, nodesOf } from '../../store/nodes.ts'
import { isOpenRun, lockRun, openRunOf, updateRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { stagesOf } from '../../store/stages.ts'
import type { RunRow, WorkerRow } from '../../store/tables.ts'
import { deleteTimers } from '../../store/timers.ts'
import { updateWorker, workersOf } from '../../store/workers.ts'
import { type Core, errandId, leaveErrand, leaveRunErrand, type Tx, transact } from '../base/index.ts'
import { moveUnbegun, nodeStops } from '../nodes/index.ts'
import { nudgeOf, waitsNotice } from './nudge.ts'
import { steerMembers } from './pause.ts'
import { aboutRun, completeStage, lockOpen, moveRun, noRun } from './state.ts'

/** How a run comes to its end. */
interface End {
  readonly status: Extract<RunStatus, 'finished' | 'failed' | 'stopped'>
  readonly reason: string
  readonly summary?: string
}

const BY_PERSON: End = { status: 'stopped', reason: 'A person stopped it.' }

/** Ends the run: nodes that are open are canceled and the workers closed. The coordinator goes on as a conversation. */
export const stopRun = (core: Core, id: RunId): Promise<void> =>
  transact(core, 'run.end', async (tx) => closeRun(tx, await lockOpen(tx, id), BY_PERSON))

/** The same for the run that a session coordinates, if it does. */
export const stopRunOf = (core: Core, sessionId: SessionId): Promise<void> =>
  transact(core, 'run.end', async (tx) => {
    const session = await findSession(tx.db, sessionId)
    const open = session?.worker === null ? await openRunOf(tx.db, session) : undefined
    const run = open && (await lockRun(tx.db, open.id))
    if (run && isOpenRun(run)) await closeRun(tx, run, BY_PERSON)
  })

/** Ends the run if it is open, and takes it off the lists. */
export const archiveRun = (core: Core, id: RunId): Promise<void> =>
  transact(core, 'run.archive', async (tx) => {
    const run = await lockRun(tx.db, id)
    if (run === undefined) throw noRun(id)
    if (isOpenRun(run)) await closeRun(tx, run, BY_PERSON)
    if (run.archived_at === null) await updateRun(tx.db, id, { archived_at: tx.now })
  })

/** The same inside a transaction that holds the run. */
export async function closeRun(tx: Tx, run: RunRow, { status, reason, summary }: End): Promise<void> {
  const paused = run.status === 'paused'
  const asked = [run.inbox_id, waitsNotice(run)]
  await moveRun(tx, run, status, reason, {
    summary: summary ?? null,
    inbox_id: null,
    asked_limit: null,
    nudge_at: null,
    ended_at: tx.now,
  })
  // What the person was asked, or told to do, is over with it.
  for (const id of asked) {
    if (id !== null && (await settleInbox(tx.db, id, 'dismissed', { answer: null, by: reason, at: tx.now })))
      tx.record('inbox.dismissed', aboutRun(run), { inboxId: id, reason })
  }
  await cancelOpen(tx, run, reason)
  await deleteTimers(tx.db, [`limit:${run.id}`, errandId(nudgeOf(run))])
  await leaveRunErrand(tx, 'files', run.id)
  // The coordinator goes on where the run had paused it.
  if (paused) await steerMembers(tx, run)
  // What was said of the person's absence held for the run.
  if (run.said_before !== null) await leaveErrand(tx, { kind: 'steer', ref: run.id, sessionId: run.session_id })
  // A task ends with its session, and the node with its task.
  for (const worker of await workersOf(tx.db, run.id)) {
    if (worker.session_id !== null) await leaveErrand(tx, { kind: 'close', ref: run.id, sessionId: worker.session_id })
    if (worker.retired_at === null) await dismiss(tx, run, worker, reason)
  }
}

/** Calls off what is open on the board. What is worked on stops at its next safe point. The run must be locked. */
export async function cancelOpen(tx: Tx, run: RunRow, reason: string): Promise<void> {
  const sessions = new Map((await workersOf(tx.db, run.id)).map(({ name, session_id }) => [name, session_id]))
  for (const node of await nodesOf(tx.db, run.id)) {
    if ((await moveUnbegun(tx, node, 'canceled', reason)) || !isOpenNode(node)) continue
    await nodeStops(tx, node, reason)
    const session = node.worker === null ? undefined : sessions.get(node.worker)
    if (session && node.task_id) await leaveErrand(tx, { kind: 'cancel', ref: node.task_id, sessionId: session })
  }
  for (const stage of await stagesOf(tx.db, run.id)) {
    if (stage.status === 'completed') continue
    await completeStage(tx, { project: run.project_id, runId: run.id }, stage, null)
    await deleteTimers(tx.db, [`stage:${stage.id}`])
  }
}

/** A worker leaves the run. */
export async function dismiss(tx: Tx, run: Pick<RunRow, 'id' | 'project_id'>, worker: WorkerRow, reason: string) {
  await updateWorker(tx.db, worker, { retired_at: tx.now })
  tx.record('worker.retired', { project: run.project_id, runId: run.id }, { name: worker.name, reason })
}
