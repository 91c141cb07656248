import type { Agent } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { WorkerKind } from '../../contract/runs.ts'
import type { SessionRow, WorkerRow } from '../../store/tables.ts'
import { insertWorker, workersOf } from '../../store/workers.ts'
import { type Core, type ToolContext, type Tx, transact } from '../base/index.ts'
import { type Maker, makersFor } from '../permissions/index.ts'
import { memberOf } from './make-node.ts'
import { checkTools } from './worker-choice.ts'

interface WorkerOrder {
  readonly name: string
  readonly model?: string | undefined
  /** Only these of its agent's tools, as globs. */
  readonly tools?: readonly string[] | undefined
  readonly identity?: string | undefined
  readonly mayWriteMemory?: boolean | undefined
}

/** A name that can be written to: not a word that is an address already, nor like a handle. */
const NAME = /^(?![0-9a-fA-F-]{4,}$)[A-Za-z][A-Za-z0-9-]{0,31}$/
const taken = new Set(['human', 'parent', 'coordinator', 'latest', 'system', 'trigger', 'session', 'worker', 'task'])

/** The coordinator takes on a worker, under its own ceiling. The same call again finds the first. */
export async function spawnWorker(
  core: Core,
  by: ToolContext,
  { agent, kind }: { readonly agent: Agent; readonly kind: WorkerKind },
  order: WorkerOrder,
): Promise<WorkerRow> {
  if (order.tools !== undefined) await checkTools(core, by, agent, order.tools)
  return transact(core, 'worker.spawn', async (tx) => {
    const { maker, run } = await memberOf(tx, by.sessionId)
    const workers = await workersOf(tx.db, run.id)
    const earlier = workers.find(({ call_id }) => call_id === by.callId)
    if (earlier) return earlier
    checkName(workers, order.name)
    return addWorker(tx, run, {
      name: order.name,
      kind,
      agent: agent.name,
      model: order.model ?? null,
      makers: makersOfWorker(maker, by, order),
      identity: order.identity,
      mayWriteMemory: order.mayWriteMemory,
      callId: by.callId,
    })
  })
}

/** What members of a run have, whatever tools they are limited to. */
const ofRun = ['publish', 'checkpoint', 'create_work_node', 'suggest_next', 'read_ref']
const ofCoordinator = [
  ...['spawn_worker', 'check_board', 'start_stage', 'reconvene', 'finish', 'write_plan'],
  ...['assign_worker', 'cancel_node', 'retire_worker', 'start_run'],
]

/** To what a person limits a whole run: it stands above the coordinator, and so above all whom it makes. */
export const limitedTo = (tools: readonly string[]): Maker[] => [
  { from: 'the run', tools: { allow: [...ofRun, ...ofCoordinator, ...tools] }, handed: true },
]

/** The worker's maker, all makers before, and to what the maker limits this worker. */
export function makersOfWorker(
  coordinator: SessionRow,
  by: Pick<ToolContext, 'agent' | 'definition'>,
  { tools, mayWriteMemory = false }: Pick<WorkerOrder, 'tools' | 'mayWriteMemory'> = {},
): Maker[] {
  const limits: Maker[] = [
    ...(tools === undefined ? [] : [{ from: 'the run', tools: { allow: [...ofRun, ...tools] }, handed: true }]),
    ...(mayWriteMemory ? [] : [{ from: 'the run', permissions: { deny: [...lasting] }, handed: true }]),
  ]
  return [...makersFor(coordinator, by.agent, by.definition), ...limits]
}

/** What lasts beyond the run. Its own memory a worker keeps in the run's folder. */
const lasting = ['memory_write(project:*)', 'memory_write(user:*)']

interface NewWorker {
  readonly name: string
  readonly kind: WorkerKind
  readonly agent: string
  readonly model: string | null
  readonly makers: readonly Maker[]
  readonly identity?: string | undefined
  readonly mayWriteMemory?: boolean | undefined
  readonly callId: string | null
}

/** The run must be locked. */
export async function addWorker(
  tx: Tx,
  run: { readonly id: string; readonly project_id: string },
  { name, kind, agent, model, makers, identity, mayWriteMemory, callId }: NewWorker,
): Promise<WorkerRow> {
  const row: WorkerRow = {
    run_id: run.id,
    name,
    agent,
    model,
    session_id: null,
    makers: JSON.stringify(makers),
    identity: identity ?? null,
    kind,
    may_write_memory: mayWriteMemory ? 1 : 0,
    call_id: callId,
    created_at: tx.now,
    retired_at: null,
  }
  await insertWorker(tx.db, row)
  const about = { project: run.project_id, runId: run.id }
  tx.record('worker.spawned', about, { name, kind, agent, ...(model && { model }) })
  return row
}

function checkName(workers: readonly WorkerRow[], name: string): void {
  const lower = name.toLowerCase()
  if (!NAME.test(name) || taken.has(lower)) {
    throw new AppError('worker.invalid', `name: "${name.slice(0, 80)}" cannot be the name of a worker.`, {
      hint: 'Use up to 32 letters, digits and dashes, beginning with a letter, such as "Alice".',
    })
  }
  if (workers.some((worker) => worker.name.toLowerCase() === lower)) {
    throw new AppError('worker.invalid', `name: this run has a worker called "${name}" already.`, {
      hint: 'Give it nodes with worker, or choose another name.',
    })
  }
}
