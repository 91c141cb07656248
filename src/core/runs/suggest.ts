import { AppError } from '../../contract/errors.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { findNode, onBoard } from '../../store/nodes.ts'
import { countSuggestions, insertSuggestion, markSuggestionsTold, untoldSuggestions } from '../../store/suggestions.ts'
import { type Core, onSession, type Tx } from '../base/index.ts'

const MOST = 5

/** A worker proposes what could be done next. It wakes nobody: the coordinator reads it with the news of the node. */
export const suggestNext = (
  core: Core,
  by: { readonly sessionId: SessionId; readonly callId: string },
  suggestion: string,
): Promise<void> =>
  onSession(core, by.sessionId, 'node.suggest', async (tx, session) => {
    const node = session.node_id === null ? undefined : await findNode(tx.db, session.node_id)
    if (node?.status !== 'processing') {
      throw new AppError('run.state', 'You work on no node now.', { hint: 'Write to the coordinator instead.' })
    }
    const worker = session.worker!
    const about = { run_id: node.run_id, node_id: node.id, call_id: by.callId }
    if (!(await insertSuggestion(tx.db, { ...about, worker, suggestion, told: 0, created_at: tx.now }))) return
    if ((await countSuggestions(tx.db, node.id)) > MOST) {
      throw new AppError('run.limit', `You made ${MOST} suggestions about this node already.`, {
        hint: 'Put what is still to be said into the result of your node.',
      })
    }
    const data = { nodeId: node.id, worker, suggestion: onBoard(tx.mask(suggestion)) }
    tx.record('node.suggested', { project: node.project_id, runId: node.run_id }, data)
  })

const SHOWN = 8
const SHOWN_CHARS = 250

/** What workers proposed since the coordinator was last told, in a few lines; nothing of it is told twice. */
export async function takeSuggestions(tx: Tx, runId: RunId): Promise<string[]> {
  const untold = await untoldSuggestions(tx.db, runId)
  const shown = untold.slice(0, SHOWN)
  if (shown.length === 0) return []
  await markSuggestionsTold(tx.db, shown)
  const more = untold.length - shown.length
  return [
    'Suggestions of workers:',
    ...shown.map(({ worker, suggestion }) => `- ${worker}: ${shorten(suggestion, SHOWN_CHARS)}`),
    ...(more > 0 ? [`- ${more} more come with the next news.`] : []),
  ]
}
