import type { NodeId } from '../../contract/ids.ts'
import { depsOf, nodesOf, titleOf } from '../../store/nodes.ts'
import { findRun, isOpenRun, lockRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow, RunRow, TimerRow, WorkerRow } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { workersOf } from '../../store/workers.ts'
import { type Core, leaveErrand, type Tx, transact } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent } from '../config/index.ts'
import { notify } from '../inbox/index.ts'
import { assignNode, moveUnbegun, nodeStops } from '../nodes/index.ts'
import type { Maker } from '../permissions/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { type Moves, movesOn } from './board.ts'
import { closeRun } from './close.ts'
import { lookAtMoney } from './money.ts'
import { lookAtRest } from './rest.ts'
import { lookAtStage } from './stages.ts'
import { ANYBODY } from './worker-choice.ts'
import { addWorker, makersOfWorker } from './workers.ts'

/** Something on a run's board changed: what follows is written, in one transaction over the lock of the run. */
export async function serveBoard(core: Core, timer: TimerRow): Promise<void> {
  const seen = await findRun(core.store.read, timer.ref)
  const at = seen && isOpenRun(seen) ? await circumstances(core, seen) : undefined
  await transact(core, 'run.board', async (tx) => {
    // The run comes first: whoever puts a node on the board holds it when they leave the errand.
    const run = await lockRun(tx.db, timer.ref)
    if (!(await takeTimer(tx.db, timer)) || run === undefined || !isOpenRun(run) || at === undefined) return
    const coordinator = await findSession(tx.db, run.session_id)
    if (coordinator === undefined || coordinator.status === 'closed')
      return closeRun(tx, run, { status: 'stopped', reason: 'Its coordinator was closed.' })
    await lookAtMoney(tx, run)
    // What a paused run has to do is left until it goes on.
    if (run.status === 'paused' || !isOpenRun(run)) return
    const [nodes, deps, workers] = [
      await nodesOf(tx.db, run.id),
      await depsOf(tx.db, run.id),
      await workersOf(tx.db, run.id),
    ]
    const moves = movesOn(
      nodes.map((node) => ({
        id: node.id,
        status: node.status,
        dependsOn: deps.get(node.id) ?? [],
        parent: node.parent_node_id,
        worker: node.worker,
        assigned: node.assigned_at !== null,
      })),
      workers.map(({ name, retired_at }) => ({ name, retired: retired_at !== null })),
      at.limit,
    )
    // Before rows of nodes are written, in the order in which the news take them.
    await tellOfEnds(tx, run, { nodes, workers, moves })
    await follow(tx, run, { nodes, workers, moves }, at.makers)
    await lookAtStage(tx, run)
    await lookAtRest(tx, run)
  })
}

/** What is read from files: how many may work at once, and under whose ceiling. */
async function circumstances(core: Core, run: RunRow): Promise<{ limit: number; makers: Maker[] }> {
  const coordinator = (await findSession(core.store.read, run.session_id))!
  const project = await projectOfSession(core, coordinator)
  const { settings } = await effectiveSettings(core, project)
  const agent = await findAgent(core, project, run.agent)
  const definition = agentFor(agent, coordinator.mode)
  return { limit: settings.limits.maxConcurrentWorkers, makers: makersOfWorker(coordinator, { agent, definition }) }
}

interface Look {
  readonly nodes: readonly NodeRow[]
  readonly workers: readonly WorkerRow[]
  readonly moves: Moves
}

async function follow(tx: Tx, run: RunRow, { nodes, workers, moves }: Look, makers: readonly Maker[]): Promise<void> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const named = (id: NodeId): string => `"${titleOf(byId.get(id)!)}"`
  for (const [id, above] of moves.cancel) {
    const node = byId.get(id)!
    const reason = `The node above it, ${named(above)}, has ended.`
    if (await moveUnbegun(tx, node, 'canceled', reason)) continue
    const session = sessionOf(workers, node)
    if (session === null || node.task_id === null) continue
    await nodeStops(tx, node, reason)
    await leaveErrand(tx, { kind: 'cancel', ref: node.task_id, sessionId: session })
  }
  for (const [id, hindered] of moves.block)
    await moveUnbegun(tx, byId.get(id)!, 'blocked', `It depends on ${named(hindered)}, which has no result.`)
  for (const id of moves.free) await moveUnbegun(tx, byId.get(id)!, 'pending')
  for (const { node, worker, isNew } of moves.assign) {
    if (isNew)
      await addWorker(tx, run, { name: worker, kind: 'harnessed', agent: ANYBODY, model: null, makers, callId: null })
    await assignNode(tx, byId.get(node)!, worker)
  }
}

const sessionOf = (workers: readonly WorkerRow[], { worker }: NodeRow): string | null =>
  workers.find(({ name }) => name === worker)?.session_id ?? null

/** The coordinator learns of each node that it made; a worker of its children once all of them have ended. */
async function tellOfEnds(tx: Tx, run: RunRow, { nodes, workers, moves }: Look): Promise<void> {
  const isOver = ({ id, status }: NodeRow): boolean =>
    moves.cancel.has(id) || moves.block.has(id) || ['finished', 'failed', 'canceled', 'blocked'].includes(status)
  const below = Map.groupBy(nodes, ({ parent_node_id }) => parent_node_id)
  for (const [parent, children] of below) {
    const news = children.some((node) => isOver(node) && (node.told === 0 || moves.block.has(node.id)))
    if (!news) continue
    if (parent === null) await leaveErrand(tx, { kind: 'news', ref: run.id, sessionId: run.session_id })
    const node = nodes.find(({ id }) => id === parent)
    const session = node === undefined || isOver(node) ? null : sessionOf(workers, node)
    if (session !== null && children.every(isOver))
      await leaveErrand(tx, { kind: 'news', ref: parent!, sessionId: session })
  }
}

/** The errand was tried again and again: the coordinator's person has to know why nothing goes on. */
export async function giveUpBoard(tx: Tx, runId: string, error: string): Promise<void> {
  const run = await findRun(tx.db, runId)
  const coordinator = run && (await findSession(tx.db, run.session_id))
  if (coordinator === undefined) return
  await notify(tx, coordinator, {
    title: `The run "${run!.title}" does not go on`,
    body: `Its board could not be served: ${error}\nSee "troupe logs". Whatever ends or makes a node there has it tried again.`,
  })
}
