import { type NewMessage, selectMessages } from '../../store/messages.ts'
import { findNode, hasUntoldChildren } from '../../store/nodes.ts'
import type { NodeRow, SessionRow } from '../../store/tables.ts'
import { openTasksOf } from '../../store/tasks.ts'
import { updateTurn } from '../../store/turns.ts'
import type { Tx } from '../base/index.ts'
import { remindOfNode } from '../nodes/index.ts'
import { askToReflect, publish } from '../runs/index.ts'
import { lastWords } from '../sessions/index.ts'
import { abandonCalls } from './call-rows.ts'
import { endTurn } from './end.ts'
import type { Made, Next, PublishNow, SafePoint } from './safe-point.ts'
import type { Turn } from './turn.ts'

/** A node that is published is done: what its worker still wanted in this step is not. */
export async function endIfPublished({ turn, tx, session, row, write }: SafePoint): Promise<Next | undefined> {
  const node = await ownNode(tx, session)
  if (node === undefined || node.published_at === null) return undefined
  await abandonCalls(tx, session, row, 'the node is published', write)
  const reason = node.partial === 1 ? `The node is published, in part: ${node.reason}` : 'The node is published.'
  await askToReflect(turn.core, tx, session, node, turn.setup.judge.tools)
  return endTurn(tx, session, row, session.signal === 'close' ? 'closed' : 'done', reason)
}

/**
 * The worker has nothing left to do and has not published: it is reminded once, and the next time what there is is handed
 * over in part. Who cannot publish has its node published as it is. Words that answer a message end nothing: whoever was
 * written to since is reminded again.
 */
export async function publishBeforeEnd(point: SafePoint): Promise<PublishNow | 'remind' | undefined> {
  const { turn, tx, session, row, write } = point
  const node = await ownNode(tx, session)
  if (node === undefined || (await waitsForOthers(tx, session, node))) return undefined
  if (!turn.setup.judge.tools.has('publish')) return publishNow(point)
  if (node.publishing_at !== null || (node.reminded === 1 && !(await wasWrittenTo(tx, session))))
    return publishNow(point, 'Its worker ended without publishing it.')
  await remindOfNode(tx, node)
  await write([reminder(row.id)])
  return 'remind'
}

/** The worker may not go on: what it has is handed over, in part. Undefined where there is nothing to hand over. */
export async function publishAtLimit(point: SafePoint, reason: string): Promise<PublishNow | undefined> {
  const { tx, session, row, write } = point
  const node = await ownNode(tx, session)
  if (node === undefined || (await waitsForOthers(tx, session, node))) return undefined
  await abandonCalls(tx, session, row, 'out of time', write)
  return publishNow(point, reason)
}

export async function publishHere(turn: Turn, { partial }: PublishNow): Promise<Made> {
  const { core, lease } = turn
  const summary = (await lastWords(core.store.read, lease.sessionId, turn.row?.started_at)).trim()
  const text = turn.setup.single ? summary : undefined
  await publish({ ...core, runner: lease }, lease.sessionId, { summary, partial }, text)
  return {}
}

async function publishNow({ turn, tx, row }: SafePoint, partial?: string): Promise<PublishNow> {
  await updateTurn(tx.db, row)
  return { do: 'publish', partial, deadline: turn.core.clock.now() + PUBLISH_MS }
}

const PUBLISH_MS = 600_000

/** The node on which the worker of this session works; undefined where it works on none. */
async function ownNode(tx: Tx, { worker, node_id }: SessionRow): Promise<NodeRow | undefined> {
  const node = worker === null || node_id === null ? undefined : await findNode(tx.db, node_id)
  return node?.status === 'processing' ? node : undefined
}

const waitsForOthers = async (tx: Tx, { id }: SessionRow, node: NodeRow): Promise<boolean> =>
  (await hasUntoldChildren(tx.db, node.id)) || (await openTasksOf(tx.db, id)).length > 0

const LOOKED_BACK = 100

/** Whether somebody wrote to the worker after it was reminded last. */
async function wasWrittenTo(tx: Tx, { id }: SessionRow): Promise<boolean> {
  const newest = await selectMessages(tx.db, id, { newestFirst: true, limit: LOOKED_BACK })
  return (
    newest.find(({ role, parts }) => role === 'user' || (role === 'system' && parts.includes(REMINDED)))?.role ===
    'user'
  )
}

const reminder = (turnId: string): NewMessage => ({
  role: 'system',
  from: { kind: 'system' },
  turnId,
  parts: [{ type: 'text', text: REMINDER }],
})

const REMINDED = 'Your node is not published yet.'
const REMINDER = `${REMINDED} If it is done, call publish with a summary; if it is not, go on. When you end your turn again without it, what is in your scratch folder is handed over as partial.`
