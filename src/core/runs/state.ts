import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { RunStatus } from '../../contract/runs.ts'
import { isOpenRun, lockRun, updateRun } from '../../store/runs.ts'
import { moveStage } from '../../store/stages.ts'
import type { RunRow, StageRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'

/** The owner of a run's status: each change of it is written here, with its event. The run must be locked. */
export async function moveRun(
  tx: Tx,
  run: RunRow,
  status: RunStatus,
  reason: string | null,
  more: Partial<RunRow> = {},
): Promise<void> {
  const from = run.status
  const same = from === status && run.reason === reason
  const change = { ...more, status, reason, ...(!same && { updated_at: tx.now }) }
  await updateRun(tx.db, run.id, change)
  Object.assign(run, change)
  if (same) return
  tx.record('run.status', aboutRun(run), {
    runId: run.id,
    from,
    to: status,
    ...(reason === null ? {} : { reason }),
    ...(change.summary ? { summary: change.summary } : {}),
  })
}

export const aboutRun = ({ project_id, session_id }: RunRow) => ({ project: project_id, sessionId: session_id })

/** Locks a run that is not over. */
export async function lockOpen(tx: Tx, id: RunId): Promise<RunRow> {
  const run = await lockRun(tx.db, id)
  if (run === undefined) throw noRun(id)
  if (!isOpenRun(run)) throw isOverAlready(run)
  return run
}

export const noRun = (id: string): AppError =>
  new AppError('run.not_found', `There is no run "${id.slice(0, 80)}".`, {
    hint: 'A run is named by its whole id, "run_…"; GET /api/runs lists them.',
  })

export const noNode = (runId: string, id: string): AppError =>
  new AppError('node.not_found', `The run ${runId.slice(0, 80)} has no node "${id.slice(0, 80)}".`, {
    hint: 'Its board lists the nodes with their ids.',
  })

export const isOverAlready = ({ id, status }: RunRow): AppError =>
  new AppError('run.state', `The run ${id} is ${status}: nothing more is started in it.`, {
    hint: 'Start another run, or write to its coordinator.',
  })

/** A stage is over, with or without a word of the coordinator about it. */
export async function completeStage(
  tx: Tx,
  about: { project: string; runId: string },
  stage: StageRow,
  assessment: string | null,
): Promise<void> {
  const change = { status: 'completed', assessment, ended_at: tx.now } as const
  if (!(await moveStage(tx.db, stage, change))) return
  tx.record('stage.completed', about, { stageId: stage.id, ...(assessment && { assessment }) })
}
