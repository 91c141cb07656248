import { AppError } from '../../contract/errors.ts'
import { nodeOfRef } from '../../contract/fold-board.ts'
import type { NodeId, RunId, SessionId } from '../../contract/ids.ts'
import type { RunLimit } from '../../contract/runs.ts'
import { suggestion } from '../../lib/closest.ts'
import { newId } from '../../lib/ids.ts'
import { depsOf, findNodeByCall, nodesOf, titleOf } from '../../store/nodes.ts'
import { findSession } from '../../store/sessions.ts'
import { stagesOf } from '../../store/stages.ts'
import type { NodeRow, RunRow, SessionRow, StageRow, WorkerRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { type Core, type Tx, transact } from '../base/index.ts'
import { addNode } from '../nodes/index.ts'
import { cycleIn } from './board.ts'
import { limitOn, reachLimit } from './limits.ts'
import { lockOpen } from './state.ts'

/** A piece of work as somebody in the run wants it. */
interface NodeOrder {
  readonly task: string
  readonly dependsOn: readonly NodeId[]
  readonly refs?: Readonly<Record<string, string>>
  readonly single?: boolean
  readonly worker?: string | undefined
}

/** Puts a node on the board. What a worker makes stands below its own node. The same call again finds the first. */
export async function createNode(core: Core, by: By, order: NodeOrder): Promise<NodeRow> {
  try {
    return await transact(core, 'node.create', (tx) => placeNode(tx, by, order))
  } catch (error) {
    if (error instanceof AppError && error.code === 'run.limit') {
      const { runId, limit } = error.details as Reached
      await reachLimit(core, runId, limit)
    }
    throw error
  }
}

/** Which limit of which run does not let the node be made. */
interface Reached {
  readonly runId: RunId
  readonly limit: RunLimit
}

interface By {
  readonly sessionId: SessionId
  readonly callId: string
}

/** The same inside a transaction, which has locked no run yet. */
export async function placeNode(tx: Tx, by: By, order: NodeOrder): Promise<NodeRow> {
  const earlier = await findNodeByCall(tx.db, by.sessionId, by.callId)
  if (earlier) return earlier
  const { maker, run } = await memberOf(tx, by.sessionId)
  const nodes = await nodesOf(tx.db, run.id)
  const above = maker.worker === null ? [] : lineage(nodes, maker.node_id)
  checkSize(run, nodes, above)
  checkWorker(await workersOf(tx.db, run.id), above, order.worker)
  const node = nodeFor(tx, run, by, order, {
    number: (nodes.at(-1)?.number ?? 0) + 1,
    above,
    // What the coordinator makes while a stage runs joins it; what a worker makes is its own matter.
    stage: above.length > 0 ? undefined : (await stagesOf(tx.db, run.id)).find(({ status }) => status === 'running'),
  })
  const needed = new Set([...order.dependsOn, ...nodesReferredTo(order.refs)])
  checkNeeds(nodes, [...needed])
  const dependsOn = nodes.flatMap(({ id }) => (needed.has(id) ? [id] : []))
  checkCycle([...nodes, node], (await depsOf(tx.db, run.id)).set(node.id, dependsOn))
  await addNode(tx, node, dependsOn)
  return node
}

/** The session whose call it is, and its run, which is locked and open. */
export async function memberOf(tx: Tx, sessionId: SessionId): Promise<{ maker: SessionRow; run: RunRow }> {
  const maker = (await findSession(tx.db, sessionId))!
  return { maker, run: await lockOpen(tx, maker.run_id ?? 'none') }
}

/** The node and those above it, the nearest first. */
export function lineage(nodes: readonly NodeRow[], id: NodeId | null): NodeRow[] {
  const node = nodes.find((one) => one.id === id)
  return node === undefined ? [] : [node, ...lineage(nodes, node.parent_node_id)]
}

const ASKED =
  'The run pauses, and the human is asked to raise it. When a message says that they did, make the node again.'

function checkSize(run: RunRow, nodes: readonly NodeRow[], above: readonly NodeRow[]): void {
  // An infinite run has the whole number in each of its cycles.
  const made = nodes.filter(({ created_at }) => created_at >= (run.cycle_at ?? 0)).length
  if (made >= limitOn(run, 'maxNodes')!) {
    throw new AppError('run.limit', `The run has ${made} nodes already (limits.maxNodes).`, {
      hint: ASKED,
      details: { runId: run.id, limit: 'maxNodes' } satisfies Reached,
    })
  }
  if (above.length >= limitOn(run, 'maxDepth')!) {
    throw new AppError('run.limit', `This node would be ${above.length + 1} deep (limits.maxDepth).`, {
      hint: ASKED,
      details: { runId: run.id, limit: 'maxDepth' } satisfies Reached,
    })
  }
  const [own] = above
  if (own !== undefined && own.status !== 'processing' && own.status !== 'waiting')
    throw new AppError('run.state', `Your node "${titleOf(own)}" is ${own.status}: nothing is put below it any more.`, {
      hint: 'Tell the coordinator what is still needed.',
    })
}

export function checkWorker(workers: readonly WorkerRow[], above: readonly NodeRow[], name: string | undefined): void {
  if (name === undefined) return
  const there = workers.filter(({ retired_at }) => retired_at === null).map((worker) => worker.name)
  if (!there.includes(name)) {
    throw new AppError('worker.invalid', `No worker of this run is called "${name.slice(0, 80)}".`, {
      hint: there.length === 0 ? 'Leave "worker" out: one is made.' : suggestion(name, there, 'There are'),
    })
  }
  if (above.some(({ worker }) => worker === name)) {
    throw new AppError('worker.invalid', `${name} works on a node above this one and would wait for itself.`, {
      hint: 'Leave "worker" out, or name another.',
    })
  }
}

function checkNeeds(nodes: readonly NodeRow[], dependsOn: readonly NodeId[]): void {
  const ids = nodes.map(({ id }) => id)
  const missing = dependsOn.find((id) => !ids.includes(id))
  if (missing === undefined) return
  throw new AppError('node.not_found', `dependsOn: this run has no node "${missing.slice(0, 80)}".`, {
    hint: ids.length === 0 ? 'It has none yet.' : 'check_board shows the nodes with their ids.',
  })
}

/** A node begins when what it refers to is published. */
const nodesReferredTo = (refs: Readonly<Record<string, string>> = {}): NodeId[] =>
  Object.entries(refs).map(([name, ref]) => {
    const node = nodeOfRef(ref)
    if (node !== undefined) return node
    throw new AppError('node.not_found', `refs.${name}: "${ref.slice(0, 80)}" names nothing that a node publishes.`, {
      hint: 'Write nodes/<id>/published/<file>, or the id of a node that publishes one file.',
    })
  })

/** A node waits for what it depends on, and one that has children for those. */
function checkCycle(nodes: readonly NodeRow[], deps: ReadonlyMap<NodeId, readonly NodeId[]>): void {
  const below = Map.groupBy(nodes, ({ parent_node_id }) => parent_node_id)
  const waits = nodes.map(({ id }) => ({
    id,
    dependsOn: [...(deps.get(id) ?? []), ...(below.get(id) ?? []).map((child) => child.id)],
  }))
  const way = cycleIn(waits)
  if (way === undefined) return
  const named = way.map((id) => `"${titleOf(nodes.find((node) => node.id === id)!)}"`)
  throw new AppError('node.cycle', `Nothing was made, because it would wait for itself: ${named.join(' → ')}.`, {
    hint: 'A node cannot depend on one that waits for it; leave that dependency out.',
    details: { cycle: way },
  })
}

function nodeFor(
  tx: Tx,
  run: RunRow,
  by: By,
  { task, refs = {}, single = false, worker }: NodeOrder,
  {
    number,
    above,
    stage,
  }: { readonly number: number; readonly above: readonly NodeRow[]; readonly stage: StageRow | undefined },
): NodeRow {
  return {
    id: newId('node'),
    run_id: run.id,
    project_id: run.project_id,
    number,
    parent_node_id: above[0]?.id ?? null,
    depth: above.length,
    made_by: by.sessionId,
    call_id: by.callId,
    spec: task,
    status: 'pending',
    reason: null,
    summary: null,
    stage_id: stage?.id ?? null,
    checkpointed_at: null,
    worker: worker ?? null,
    assigned_at: null,
    task_id: null,
    stop_reason: null,
    told: 0,
    refs: JSON.stringify(refs),
    single: single ? 1 : 0,
    reminded: 0,
    publishing_at: null,
    published_at: null,
    partial: 0,
    files: '[]',
    created_at: tx.now,
    started_at: null,
    finished_at: null,
    updated_at: tx.now,
  }
}
