import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { CreateRun, Run, RunStatus } from '../../contract/runs.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { nodesOf } from '../../store/nodes.ts'
import { putProject } from '../../store/projects.ts'
import { findRunByClient, insertRun, lockRun, toRun, updateRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { moveStage, stagesOf } from '../../store/stages.ts'
import type { RunRow, StageRow } from '../../store/tables.ts'
import { deleteTimers } from '../../store/timers.ts'
import { workersOf } from '../../store/workers.ts'
import { type Core, changing, leaveErrand, type Project, type Tx, transact } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent, ownFolder } from '../config/index.ts'
import { newChainId, post } from '../mail/index.ts'
import { moveUnbegun } from '../nodes/index.ts'
import { addSession, newSession, placeFor } from '../sessions/index.ts'

/** A coordinator is given the goal; what becomes of it is up to the coordinator. */
export async function createRun(core: Core, project: Project, body: CreateRun): Promise<Run> {
  const agent = await findAgent(core, project, body.agent)
  const definition = agentFor(agent, 'chat')
  const { settings } = await effectiveSettings(core, project)
  const made = await transact(core, 'run.create', async (tx) => {
    // First, because this locks the project's row: of two requests with the same clientId, the second sees the first.
    await putProject(tx.db, project, tx.now)
    const earlier = body.clientId && (await findRunByClient(tx.db, project.id, body.clientId))
    if (earlier) return earlier
    const title = shorten(tx.mask(body.goal).split('\n', 1)[0]!, 60)
    const session = newSession(project, { agent: agent.name, title, model: body.model }, tx.now, {
      workspace: ownFolder(core, project, definition),
      wakeBudget: settings.loop.autoWakeBudget,
      ...placeFor(core, definition),
    })
    const run = runFor(tx, body, { project_id: project.id, session_id: session.id, agent: agent.name, title })
    session.run_id = run.id
    await addSession(tx, session)
    await insertRun(tx.db, run)
    tx.record('run.created', { project: project.id, sessionId: session.id }, { runId: run.id, title, agent: run.agent })
    await changing(tx, session, async (_, row) => {
      const chain = { id: newChainId(undefined), hops: 0 }
      await post(core, tx, row, { to: row.id, from: { kind: 'human' }, content: body.goal, clientId: run.id, chain })
    })
    tx.after(() => core.wake(session.id))
    return run
  })
  return toRun(core.store.read, made)
}

const runFor = (
  tx: Tx,
  { goal, limits = {}, clientId }: CreateRun,
  more: Pick<RunRow, 'project_id' | 'session_id' | 'agent' | 'title'>,
): RunRow => ({
  ...more,
  id: newId('run'),
  goal,
  status: 'working',
  reason: null,
  summary: null,
  limits: JSON.stringify(limits),
  client_id: clientId ?? null,
  cost_before: 0,
  cost_after: null,
  created_at: tx.now,
  updated_at: tx.now,
  ended_at: null,
})

/** How a run comes to its end. */
interface End {
  readonly status: Exclude<RunStatus, 'working'>
  readonly reason: string
  readonly summary?: string
}

/** Ends the run: nodes that are open are canceled and the workers closed. The coordinator goes on as a conversation. */
export const endRun = (core: Core, id: RunId, end: End): Promise<void> =>
  transact(core, 'run.end', async (tx) => {
    const run = await lockRun(tx.db, id)
    if (run === undefined) throw noRun(id)
    if (run.status !== 'working') throw isOverAlready(run)
    await closeRun(tx, run, end)
  })

/** The same inside a transaction that holds the run. */
export async function closeRun(tx: Tx, run: RunRow, { status, reason, summary }: End): Promise<void> {
  const coordinator = await findSession(tx.db, run.session_id)
  await updateRun(tx.db, run.id, {
    status,
    reason,
    summary: summary ?? null,
    cost_after: coordinator?.cost_usd ?? 0,
    ended_at: tx.now,
    updated_at: tx.now,
  })
  const about = { project: run.project_id, sessionId: run.session_id }
  tx.record('run.status', about, { runId: run.id, from: run.status, to: status, reason, ...(summary && { summary }) })
  for (const node of await nodesOf(tx.db, run.id)) await moveUnbegun(tx, node, 'canceled', reason)
  for (const stage of await stagesOf(tx.db, run.id)) {
    if (stage.status === 'completed') continue
    await completeStage(tx, { project: run.project_id, runId: run.id }, stage, null)
    await deleteTimers(tx.db, [`stage:${stage.id}`])
  }
  // A task ends with its session, and the node with its task.
  for (const { session_id } of await workersOf(tx.db, run.id))
    if (session_id !== null) await leaveErrand(tx, { kind: 'close', ref: run.id, sessionId: session_id })
}

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
