import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { suggestion } from '../../lib/closest.ts'
import { nodesOf, titleOf } from '../../store/nodes.ts'
import type { NodeRow, WorkerRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { type Core, leaveErrand, transact } from '../base/index.ts'
import { changeNode } from '../nodes/index.ts'
import { dismiss } from './close.ts'
import { memberOf } from './make-node.ts'

/** A worker leaves the run, and its session is closed. What it had not begun waits for another. */
export const retireWorker = (core: Core, sessionId: SessionId, name: string): Promise<WorkerRow> =>
  transact(core, 'worker.retire', async (tx) => {
    const { run } = await memberOf(tx, sessionId)
    const workers = await workersOf(tx.db, run.id)
    const worker = workers.find((one) => one.name === name)
    if (worker === undefined) throw nobody(name, workers)
    if (worker.retired_at !== null) return worker
    for (const node of (await nodesOf(tx.db, run.id)).filter((one) => one.worker === name && isOpen(one)))
      if (!(await changeNode(tx, node, { worker: null }))) throw isBusy(name, node)
    await dismiss(tx, run, worker, 'The coordinator let it go.')
    if (worker.session_id !== null) await leaveErrand(tx, { kind: 'close', ref: run.id, sessionId: worker.session_id })
    return { ...worker, retired_at: tx.now }
  })

const isOpen = ({ status }: NodeRow): boolean => !['finished', 'failed', 'canceled'].includes(status)

const nobody = (name: string, workers: readonly WorkerRow[]): AppError =>
  new AppError('worker.invalid', `No worker of this run is called "${name.slice(0, 80)}".`, {
    hint:
      workers.length === 0
        ? 'It has none yet.'
        : suggestion(
            name,
            workers.map((one) => one.name),
            'There are',
          ),
  })

const isBusy = (name: string, node: NodeRow): AppError =>
  new AppError('worker.state', `${name} works on "${titleOf(node)}" (${node.id}).`, {
    hint: 'Wait until that has ended, or call cancel_node first.',
  })
