import { shorten } from '../../lib/shorten.ts'
import { findNode, markTold, titleOf, untoldNodes } from '../../store/nodes.ts'
import { findRun } from '../../store/runs.ts'
import type { NodeRow, SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'

/** Tells a session in one message of all nodes that it made, that have ended, and of which it was not told. */
export const tellNews = (core: Core, timer: SessionTimer): Promise<void> =>
  onSession(core, timer.session_id, 'node.news', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const parent = timer.ref.startsWith('node_') ? await findNode(tx.db, timer.ref) : undefined
    const run = await findRun(tx.db, parent?.run_id ?? timer.ref)
    if (run === undefined || session.deleted_at !== null) return
    const nodes = await untoldNodes(tx.db, run.id, parent?.id ?? null)
    if (nodes.length === 0) return
    await markTold(
      tx.db,
      nodes.map(({ id }) => id),
    )
    if (run.status !== 'working') return
    await post(core, tx, session, {
      to: session.id,
      from: { kind: 'system' },
      content: newsOf(nodes),
      chain: { id: newChainId(undefined), hops: 0 },
    })
    tx.after(() => core.wake(session.id))
  })

/** About 2,500 tokens in all, however many they are. */
const DIGEST_CHARS = 10_000
const MOST_CHARS = 1500
const NAMED = 60

/** One piece for each node, shorter the more there are; beyond a number only how many. */
function newsOf(nodes: readonly NodeRow[]): string {
  const shown = nodes.slice(0, NAMED)
  const share = Math.min(MOST_CHARS, Math.floor(DIGEST_CHARS / shown.length))
  const more = nodes.length - shown.length
  return [
    ...shown.map((node) => shorten(pieceOf(node), share)),
    ...(more > 0 ? [`And ${more} more: see check_board.`] : []),
  ].join('\n')
}

function pieceOf(node: NodeRow): string {
  const { id, worker, status, reason, summary } = node
  const said = status === 'finished' ? summary : reason
  return `${id} "${titleOf(node)}"${worker === null ? '' : ` (${worker})`} ${status}${said ? `: ${said.replace(/\s+/g, ' ')}` : '.'}`
}
