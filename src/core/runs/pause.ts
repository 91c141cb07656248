import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import { nodesOf } from '../../store/nodes.ts'
import type { RunRow } from '../../store/tables.ts'
import { membersOf } from '../../store/workers.ts'
import { type Core, leaveErrand, leaveRunErrand, type Tx, transact } from '../base/index.ts'
import { lockOpen, moveRun } from './state.ts'

/** Nothing is started any more; the members stop at their next safe point. */
export const pauseRun = (core: Core, id: RunId): Promise<void> =>
  transact(core, 'run.pause', async (tx) => {
    const run = await lockOpen(tx, id)
    if (run.status !== 'paused') await holdRun(tx, run, 'A person paused it.')
  })

/** Goes on as a whole where it stopped. */
export const resumeRun = (core: Core, id: RunId): Promise<void> =>
  transact(core, 'run.resume', async (tx) => {
    const run = await lockOpen(tx, id)
    if (run.status !== 'paused')
      throw new AppError('run.state', `The run is ${run.status}; only a paused one can be resumed.`)
    if (run.inbox_id !== null || run.reason === NO_MONEY)
      throw new AppError('run.state', 'The run paused at a limit: it goes on when that is raised.', {
        hint: 'Answer the question in the inbox.',
      })
    await letRunGoOn(tx, run)
  })

export const NO_MONEY = 'Its budget is used up; the inbox asks whether to raise it.'

/** The run must be locked. */
export async function holdRun(tx: Tx, run: RunRow, reason: string, more: Partial<RunRow> = {}): Promise<void> {
  await moveRun(tx, run, 'paused', reason, more)
  await steerMembers(tx, run)
}

export async function letRunGoOn(tx: Tx, run: RunRow, more: Partial<RunRow> = {}): Promise<void> {
  await moveRun(tx, run, 'working', null, more)
  await steerMembers(tx, run)
  // What had its worker already was left where it was.
  for (const { id, status, assigned_at, task_id } of await nodesOf(tx.db, run.id))
    if (status === 'pending' && assigned_at !== null && task_id === null) await leaveRunErrand(tx, 'begin', id)
  await leaveRunErrand(tx, 'board', run.id)
}

/** Each member does what the run does: it pauses, or goes on. A worker that begins later finds out when it is claimed. */
export async function steerMembers(tx: Tx, run: RunRow): Promise<void> {
  for (const sessionId of await membersOf(tx.db, run)) await leaveErrand(tx, { kind: 'steer', ref: run.id, sessionId })
}
