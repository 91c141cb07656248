import { isProblem } from '../../contract/errors.ts'
import type { NodeId } from '../../contract/ids.ts'
import { quote } from '../../lib/shell/quote.ts'
import { shorten } from '../../lib/shorten.ts'
import { findNode, lockNode, neededBy, titleOf, unbegunOf } from '../../store/nodes.ts'
import { findRun, isOpenRun } from '../../store/runs.ts'
import { findSession, lockSession } from '../../store/sessions.ts'
import { findStage } from '../../store/stages.ts'
import type { NodeRow, RunRow, SessionRow, TimerRow, WorkerRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { postponeTimer, takeTimer } from '../../store/timers.ts'
import { findWorker, updateWorker } from '../../store/workers.ts'
import { type Core, LATER_MS, leaveRunErrand, scratchOf, type Tx, transact, workerFolder } from '../base/index.ts'
import { ownFolderInside } from '../config/index.ts'
import { newChainId } from '../mail/index.ts'
import { bindNode, moveUnbegun } from '../nodes/index.ts'
import { makersOf } from '../permissions/index.ts'
import { isTaken, projectOfSession } from '../sessions/index.ts'
import { createTask, planTask } from '../tasks/index.ts'
import { dismiss } from './close.ts'
import { aboutWorker } from './folder.ts'
import { handedOver } from './news.ts'
import { refsText } from './refs.ts'
import { checkWorkspace } from './worker-choice.ts'

/** A node has its worker: its task is made, in the worker's session, or in a new one if this is the worker's first. */
export async function beginNode(core: Core, timer: TimerRow): Promise<void> {
  const db = core.store.read
  const node = await findNode(db, timer.ref)
  const run = node && (await findRun(db, node.run_id))
  const worker = node && node.worker !== null ? await findWorker(db, node.run_id, node.worker) : undefined
  const isDue = isToBegin(node, run) && worker !== undefined
  const plan = isDue ? await planFor(core, run!, worker) : undefined
  const refs = isDue ? await refsText(core, node!) : ''
  const about = isDue ? await aboutWorker(core, run!, worker) : ''
  await transact(core, 'node.begin', async (tx) => {
    if (plan === undefined) return void ((await takeTimer(tx.db, timer)) && (await lookAgain(tx, timer.ref)))
    const session = worker!.session_id === null ? undefined : await lockSession(tx.db, worker!.session_id)
    // The worker talks to somebody or is about to: what that turn ends must not be this node, which comes after it.
    if (session && (session.turn_id !== null || session.wanted_at !== null || isTaken(session)))
      return postponeTimer(tx.db, timer, tx.now + LATER_MS, {}).then(() => tx.alarm(tx.now + LATER_MS))
    // Before the errand, as by whoever gives the node to somebody else and leaves the errand anew.
    const now = (await lockNode(tx.db, timer.ref))!
    if (!(await takeTimer(tx.db, timer))) return
    if (now.status !== 'pending' || now.task_id !== null || now.assigned_at !== node!.assigned_at) return
    if ('problem' in plan) return void (await moveUnbegun(tx, now, 'failed', plan.problem))
    if (session && session.deleted_at !== null) return replaceWorker(tx, now, worker!)
    await begin(core, tx, { run: run!, node: now, worker: worker!, session, plan, refs, about })
  })
}

/** A worker has ended its turn: a node that waited for this begins now, and not only when it is looked at again. */
export async function beginsAfter(tx: Tx, { run_id, worker }: SessionRow): Promise<void> {
  const id = run_id === null || worker === null ? undefined : await unbegunOf(tx.db, run_id, worker)
  if (id !== undefined) await leaveRunErrand(tx, 'begin', id)
}

/** In a paused run nothing begins. */
const isToBegin = (node: NodeRow | undefined, run: RunRow | undefined): boolean =>
  node?.status === 'pending' &&
  node.assigned_at !== null &&
  node.task_id === null &&
  run !== undefined &&
  isOpenRun(run) &&
  run.status !== 'paused'

/** A run that went on since it was looked at left this same errand, which is taken now. */
async function lookAgain(tx: Tx, id: NodeId): Promise<void> {
  const node = await findNode(tx.db, id)
  if (node && isToBegin(node, await findRun(tx.db, node.run_id))) await leaveRunErrand(tx, 'begin', id)
}

/** An agent that cannot be used fails the node: the coordinator chooses another. */
async function planFor(core: Core, run: RunRow, { agent }: WorkerRow) {
  const coordinator = (await findSession(core.store.read, run.session_id))!
  const project = await projectOfSession(core, coordinator)
  try {
    // Whoever has no folder of its own works where the run does.
    const workspace = (definition: Parameters<typeof ownFolderInside>[2]) => {
      checkWorkspace(agent, definition)
      return typeof definition.workspace === 'object' && definition.workspace.path !== undefined
        ? ownFolderInside(core, project, definition, agent)
        : coordinator.workspace
    }
    return await planTask(core, project, { agent, mode: 'task', workspace })
  } catch (error) {
    if (!isProblem(error)) throw error
    return { problem: [error.message, error.hint].filter(Boolean).join(' ') }
  }
}

interface Beginning {
  readonly run: RunRow
  readonly node: NodeRow
  readonly worker: WorkerRow
  readonly session: SessionRow | undefined
  readonly plan: Awaited<ReturnType<typeof planTask>>
  /** What the node refers to, in words. */
  readonly refs: string
  /** Who the worker is. */
  readonly about: string
}

async function begin(core: Core, tx: Tx, { run, node, worker, session, plan, refs, about }: Beginning): Promise<void> {
  const parent = node.parent_node_id === null ? undefined : await findNode(tx.db, node.parent_node_id)
  const above = parent?.task_id == null ? undefined : await findTask(tx.db, parent.task_id)
  const stage = node.stage_id === null ? undefined : await findStage(tx.db, node.stage_id)
  const coordinator = await findSession(tx.db, run.session_id)
  const made = await createTask(core, tx, plan, {
    input: { prompt: [await instructionFor(tx, node, refs), about].filter(Boolean).join('\n\n') },
    from: { kind: 'system' },
    // The work of a node is nobody's answer: it begins a chain of its own.
    chain: { id: newChainId(undefined), hops: 0 },
    makers: makersOf({ id: worker.name, makers: worker.makers }),
    model: worker.model ?? undefined,
    // What was said for the run holds for all who work for it.
    unattended: coordinator?.unattended,
    questions: coordinator?.questions,
    limits: stage?.max_iterations ? { maxIterations: stage.max_iterations } : undefined,
    worker: session,
    member: { run_id: run.id, worker: worker.name, parent_session_id: run.session_id },
    node: { id: node.id, paysFor: above?.session_id ?? run.session_id, above },
    clientId: `${node.id}:${node.assigned_at}`,
  })
  if ('refused' in made) return void (await moveUnbegun(tx, node, 'failed', made.refused))
  await bindNode(tx, node, made.task.id)
  if (session === undefined) await updateWorker(tx.db, worker, { session_id: made.session.id })
}

/** The worker's session is gone: it leaves the run, and the node waits for another. */
async function replaceWorker(tx: Tx, node: NodeRow, worker: WorkerRow): Promise<void> {
  await dismiss(tx, { id: node.run_id, project_id: node.project_id }, worker, 'Its session was deleted.')
  await moveUnbegun(tx, node, 'pending')
}

const whereToWork = ({ id, worker, single }: NodeRow): string =>
  single === 1
    ? 'Answer with the result itself: you have no tools for this, and one answer.'
    : `Write what you hand over to ${scratchOf(id)}/, where your commands begin, and call publish when it is done. Paths that begin with nodes/ or workers/ lie in the folder of the run; notes of your own belong in ${workerFolder(worker!)}/.`

const RESULT_CHARS = 1500

/** What the worker reads: the spec, and what the nodes before came to. */
async function instructionFor(tx: Tx, node: NodeRow, refs: string): Promise<string> {
  const before = await neededBy(tx.db, node.id)
  const results = before.map(
    (needed) =>
      `- ${[`${needed.id} "${titleOf(needed)}", by ${needed.worker}`, handedOver(needed)].filter(Boolean).join(' ')}:\n${quote(shorten(needed.summary ?? 'It said nothing.', RESULT_CHARS))}`,
  )
  return [
    `${node.id}\n${node.spec}`,
    // A node that was never tried has no reason to be pending.
    ...(node.reason === null ? [] : [`It is to be done once more.\n${quote(node.reason)}`]),
    ...(results.length > 0 ? [`What it builds on:\n${results.join('\n')}`] : []),
    ...(refs === '' ? [] : [refs]),
    whereToWork(node),
  ].join('\n\n')
}
