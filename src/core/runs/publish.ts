import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { PublishedFile } from '../../contract/runs.ts'
import { filesBelow, sealFiles } from '../../lib/files/sealed.ts'
import { makeFolderInside, writeInside } from '../../lib/files/workspace-files.ts'
import { stopAll as stopBackgroundOf } from '../../lib/process/background.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findNode, hasUntoldChildren, publishedFiles } from '../../store/nodes.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow, SessionRow } from '../../store/tables.ts'
import { type Core, onSession, publishedOf, scratchOf, type Tx } from '../base/index.ts'
import { beginPublishing, type Handover, nodePublished } from '../nodes/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { openRunFolder } from './folder.ts'

/** All of it is read once more, to know what it is. */
const MOST = { files: 1000, bytes: 1024 ** 3 }

/**
 * The worker hands its node over. Its row says so first, then the folder is renamed and sealed, then the row knows what is in
 * it. Whoever finds the row in between does the rest; the node is finished with the worker's turn. A text that is given
 * is its result.
 */
export async function publish(
  core: Core,
  sessionId: SessionId,
  handover: Handover,
  text?: string,
): Promise<PublishedFile[]> {
  await stopBackgroundOf(sessionId)
  const session = (await findSession(core.store.read, sessionId))!
  const root = await runFolderOf(core, session)
  const scratch = join(root, scratchOf(session.node_id ?? ''))
  if (text !== undefined && existsSync(scratch)) await writeInside(scratch, 'result.md', `${text}\n`)
  const node = await onSession(core, sessionId, 'node.publish', async (tx, row) => {
    const own = await ownNode(tx, row)
    if (own.publishing_at !== null) return own
    checkFiles(join(root, scratchOf(own.id)), handover)
    await beginPublishing(tx, own, handover)
    return (await findNode(tx.db, own.id))!
  })
  if (node.published_at !== null) return publishedFiles(node)
  crashPoint('publish.marked')
  const files = await seal(root, node)
  crashPoint('publish.sealed')
  await onSession(core, sessionId, 'node.seal', async (tx) => {
    const now = (await findNode(tx.db, node.id))!
    if (now.publishing_at !== null && now.published_at === null) await nodePublished(tx, now, files)
  })
  return files
}

async function runFolderOf(core: Core, session: SessionRow): Promise<string> {
  if (session.run_id === null || session.worker === null) throw noNode()
  return openRunFolder(await projectOfSession(core, session), { id: session.run_id })
}

async function ownNode(tx: Tx, { node_id }: SessionRow): Promise<NodeRow> {
  const node = node_id === null ? undefined : await findNode(tx.db, node_id)
  if (node?.status !== 'processing') throw noNode()
  if (node.publishing_at === null && (await hasUntoldChildren(tx.db, node.id)))
    throw new AppError('run.state', 'Nodes below yours are still open.', {
      hint: 'End your turn: a message tells you when all of them have ended. Publish then.',
    })
  return node
}

/** It reads a folder in a transaction, which nobody else writes to meanwhile: the worker is in this call. */
function checkFiles(scratch: string, { summary, partial }: Handover): void {
  const { paths, cut } = existsSync(scratch) ? filesBelow(scratch, MOST) : { paths: [], cut: undefined }
  if (partial !== undefined) return
  if (cut !== undefined)
    throw new AppError('run.limit', `Your scratch folder has ${cut}.`, {
      hint: 'Remove what nobody needs, or pack what belongs together into an archive.',
    })
  if (paths.length === 0 && summary === '')
    throw new AppError('run.state', 'summary: your scratch folder is empty, so there would be nothing to hand over.', {
      hint: 'Write the result to a file there, or say it in the summary.',
    })
}

/** May be done twice: what was renamed stays so. */
async function seal(root: string, { id }: NodeRow): Promise<PublishedFile[]> {
  const [scratch, published] = [join(root, scratchOf(id)), join(root, publishedOf(id))]
  if (!existsSync(published)) {
    await makeFolderInside(root, scratchOf(id))
    renameSync(scratch, published)
  }
  crashPoint('publish.renamed')
  const { paths, left } = filesBelow(published, MOST)
  for (const path of left) rmSync(join(published, path), { force: true })
  return sealFiles(published, paths)
}

const noNode = (): AppError =>
  new AppError('run.state', 'You work on no node now, so there is nothing to publish.', {
    hint: 'Write to the coordinator instead.',
  })
