import { AppError } from '../../contract/errors.ts'
import type { SessionRow, WorkerRow } from '../../store/tables.ts'
import { insertWorker, workersOf } from '../../store/workers.ts'
import { type Core, type ToolContext, type Tx, transact } from '../base/index.ts'
import { findAgent } from '../config/index.ts'
import { type Maker, makersFor } from '../permissions/index.ts'
import { memberOf } from './make-node.ts'

/** Who does what nobody in particular was chosen for. */
export const ANYBODY = 'assistant'

interface WorkerOrder {
  readonly name: string
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly identity?: string | undefined
}

/** A name that can be written to: not a word that is an address already, nor like a handle. */
const NAME = /^(?![0-9a-fA-F-]{4,}$)[A-Za-z][A-Za-z0-9-]{0,31}$/
const taken = new Set(['human', 'parent', 'coordinator', 'latest', 'system', 'trigger', 'session', 'worker', 'task'])

/** The coordinator takes on a worker, under its own ceiling. The same call again finds the first. */
export async function spawnWorker(core: Core, by: ToolContext, order: WorkerOrder): Promise<WorkerRow> {
  const agent = await findAgent(core, by.project, order.agent ?? ANYBODY)
  return transact(core, 'worker.spawn', async (tx) => {
    const { maker, run } = await memberOf(tx, by.sessionId)
    const workers = await workersOf(tx.db, run.id)
    const earlier = workers.find(({ call_id }) => call_id === by.callId)
    if (earlier) return earlier
    checkName(workers, order.name)
    return addWorker(tx, run, {
      name: order.name,
      agent: agent.name,
      model: order.model ?? null,
      makers: makersOfWorker(maker, by),
      identity: order.identity,
      callId: by.callId,
    })
  })
}

export const makersOfWorker = (coordinator: SessionRow, by: Pick<ToolContext, 'agent' | 'definition'>): Maker[] =>
  makersFor(coordinator, by.agent, by.definition)

interface NewWorker {
  readonly name: string
  readonly agent: string
  readonly model: string | null
  readonly makers: readonly Maker[]
  readonly identity?: string | undefined
  readonly callId: string | null
}

/** The run must be locked. */
export async function addWorker(
  tx: Tx,
  run: { readonly id: string; readonly project_id: string },
  { name, agent, model, makers, identity, callId }: NewWorker,
): Promise<WorkerRow> {
  const row: WorkerRow = {
    run_id: run.id,
    name,
    agent,
    model,
    session_id: null,
    makers: JSON.stringify(makers),
    identity: identity ?? null,
    call_id: callId,
    created_at: tx.now,
    retired_at: null,
  }
  await insertWorker(tx.db, row)
  tx.record('worker.spawned', { project: run.project_id, runId: run.id }, { name, agent, ...(model && { model }) })
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
