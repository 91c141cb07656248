import { openRunOf } from '../../store/runs.ts'
import type { NodeRow, SessionRow } from '../../store/tables.ts'
import { type Core, type Tx, workerFolder } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'

/**
 * A worker that published its node is asked what it learned, by a mail that it reads in a turn of its own. The next node
 * begins after that turn, with what was noted. Who could write nothing down is not asked. The session must be locked.
 */
export async function askToReflect(
  core: Core,
  tx: Tx,
  session: SessionRow,
  node: NodeRow,
  tools: { has(tool: string): boolean },
): Promise<void> {
  const way = ways.find((tool) => tools.has(tool))
  const stopped = session.signal === 'cancel' || session.signal === 'close'
  if (way === undefined || stopped || node.single === 1) return
  if ((await openRunOf(tx.db, session)) === undefined) return
  await post(core, tx, session, {
    to: session.id,
    from: { kind: 'system' },
    content: reflection(node, session.worker!, way),
    clientId: `${node.task_id}:reflect`,
    chain: { id: newChainId(undefined), hops: 0 },
  })
}

const ways = ['write_file', 'memory_write']

const reflection = ({ id }: NodeRow, worker: string, way: string): string =>
  `You have published ${id}. What did you learn on it that helps with later nodes of this run: what works, what does not, where things are? Note it in ${workerFolder(worker)}/memory.md with ${way}, in a few lines; each of your nodes begins with what stands there. Where there is nothing to note, say so. Do nothing else now.`
