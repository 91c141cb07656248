import type { InboxId, StageId } from '../../contract/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { findInbox } from '../../store/inbox.ts'
import { findNode, markTold, publishedFiles, titleOf, untoldNodes } from '../../store/nodes.ts'
import { findRun, isOpenRun } from '../../store/runs.ts'
import { findStage, moveStage, nodesInStage } from '../../store/stages.ts'
import type { NodeRow, SessionRow, SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession, publishedOf, type Tx } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'
import { takeSuggestions } from './suggest.ts'

/** Tells a session in one message of all nodes that it made, that have ended, and of which it was not told. */
export const tellNews = (core: Core, timer: SessionTimer): Promise<void> =>
  onSession(core, timer.session_id, 'node.news', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    if (timer.ref.startsWith('stage_')) return tellStage(core, tx, session, timer.ref)
    if (timer.ref.startsWith('inbox_')) return tellRaised(core, tx, session, timer.ref)
    const parent = timer.ref.startsWith('node_') ? await findNode(tx.db, timer.ref) : undefined
    const run = await findRun(tx.db, parent?.run_id ?? timer.ref)
    if (run === undefined || session.deleted_at !== null) return
    const nodes = await untoldNodes(tx.db, run.id, parent?.id ?? null)
    if (nodes.length === 0) return
    await markTold(
      tx.db,
      nodes.map(({ id }) => id),
    )
    if (!isOpenRun(run)) return
    const proposed = parent === undefined ? await takeSuggestions(tx, run.id) : []
    await tell(core, tx, session, [newsOf(nodes), ...proposed].join('\n'))
  })

/** A stage has come far enough: one message has all its nodes, also those of which it was told before. */
async function tellStage(core: Core, tx: Tx, session: SessionRow, id: StageId): Promise<void> {
  const stage = await findStage(tx.db, id)
  if (stage?.status !== 'reconvening' || session.deleted_at !== null) return
  if (!(await moveStage(tx.db, { ...stage, told: 0 }, { told: 1 }))) return
  const nodes = await nodesInStage(tx.db, id)
  const ended = nodes.filter(({ finished_at, status }) => finished_at !== null || status === 'blocked')
  if (ended.length > 0)
    await markTold(
      tx.db,
      ended.map((node) => node.id),
    )
  const head = `The stage "${stage.name}" has come to its end: ${ended.length} of ${nodes.length} nodes have ended. Call reconvene with your assessment.`
  await tell(core, tx, session, [head, newsOf(nodes), ...(await takeSuggestions(tx, stage.run_id))].join('\n'))
}

/** The person raised a limit of the run. */
async function tellRaised(core: Core, tx: Tx, session: SessionRow, id: InboxId): Promise<void> {
  const item = await findInbox(tx.db, id)
  if (item === undefined || session.deleted_at !== null) return
  const { title } = item
  await tell(core, tx, session, `The human raised a limit. ${title}. What was refused because of it can be done now.`)
}

async function tell(core: Core, tx: Tx, session: SessionRow, content: string): Promise<void> {
  const chain = { id: newChainId(undefined), hops: 0 }
  await post(core, tx, session, { to: session.id, from: { kind: 'system' }, content, chain })
  tx.after(() => core.wake(session.id))
}

/** With suggestions and a head about 2,500 tokens in all, however many they are. */
const DIGEST_CHARS = 7500
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
  const said = status === 'finished' ? [summary, handedOver(node)].filter(Boolean).join(' ') : reason
  return `${id} "${titleOf(node)}"${worker === null ? '' : ` (${worker})`} ${status}${said ? `: ${said.replace(/\s+/g, ' ')}` : '.'}`
}

const FILES_NAMED = 10

/** What there is to read of a node, and what is missing. */
export function handedOver(node: NodeRow): string {
  const files = publishedFiles(node)
  const named = files.slice(0, FILES_NAMED).map(({ path }) => path)
  const more = files.length > named.length ? `, and ${files.length - named.length} more` : ''
  return [
    ...(node.partial === 1 ? [`[partial: ${node.reason}]`] : []),
    ...(files.length > 0 ? [`[in ${publishedOf(node.id)}: ${named.join(', ')}${more}]`] : []),
  ].join(' ')
}
