import { join } from 'node:path'
import { AppError, isProblem } from '../../contract/errors.ts'
import { nodeOfRef } from '../../contract/fold-board.ts'
import type { NodeId, SessionId } from '../../contract/ids.ts'
import type { PublishedFile } from '../../contract/runs.ts'
import { codeOf, sha256 } from '../../lib/files/files.ts'
import { PathError } from '../../lib/files/paths.ts'
import { readInside } from '../../lib/files/workspace-files.ts'
import { quote } from '../../lib/shell/quote.ts'
import { shorten } from '../../lib/shorten.ts'
import { findNode, publishedFiles, refsOf } from '../../store/nodes.ts'
import { findRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow } from '../../store/tables.ts'
import { type Core, onSession, publishedOf, runFolder } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import { projectOfSession } from '../sessions/index.ts'

const FILE_BYTES = 10 * 1024 * 1024

/** What another node published, under the name by which this worker's node knows it. A changed file is told to the person. */
export async function readRef(core: Core, sessionId: SessionId, name: string): Promise<{ path: string; text: string }> {
  const session = (await findSession(core.store.read, sessionId))!
  const node = session.node_id === null ? undefined : await findNode(core.store.read, session.node_id)
  const refs = node === undefined ? {} : refsOf(node)
  const ref = refs[name]
  if (ref === undefined) {
    const names = Object.keys(refs)
    throw new AppError('node.not_found', `Your node has no ref "${name.slice(0, 80)}".`, {
      hint: names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`,
    })
  }
  const read = await readPublished(core, node!, ref)
  if ('changed' in read) {
    await onSession(core, sessionId, 'ref.changed', (tx, row) => addInbox(tx, row, changedNotice(read.path, read.node)))
    throw new AppError('run.state', `${read.path} was changed after it was published, so it is not given to you.`, {
      hint: 'The person was told. Tell the coordinator, or go on without it.',
    })
  }
  return read
}

const changedNotice = (path: string, node: NodeId) => ({
  id: `inbox_changed_${sha256(`${node} ${path}`).slice(0, 24)}`,
  kind: 'notice' as const,
  title: 'A published file of a run was changed',
  body: `${path} is not what its node published. Nobody is given it any more; put it back, or have the node tried again.`,
})

type Read =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly changed: true; readonly node: NodeId }

async function readPublished(core: Core, of: NodeRow, ref: string): Promise<Read> {
  const source = await findNode(core.store.read, nodeOfRef(ref) ?? '')
  if (source === undefined || source.published_at === null)
    throw new AppError('node.not_found', `${ref} is not published.`, {
      hint: 'Go on without it, or tell the coordinator.',
    })
  const file = fileOf(ref, source)
  const path = `${publishedOf(source.id)}/${file.path}`
  const run = (await findRun(core.store.read, of.run_id))!
  const { path: project } = await projectOfSession(core, (await findSession(core.store.read, run.session_id))!)
  const root = join(project, runFolder(run.id), publishedOf(source.id))
  const bytes = await readInside(root, file.path, FILE_BYTES).then(
    (found) => found.bytes,
    (error: unknown) => {
      if (error instanceof PathError || codeOf(error) === 'ENOENT') return undefined
      throw error
    },
  )
  if (bytes === undefined || sha256(bytes) !== file.sha256) return { path, changed: true, node: source.id }
  return { path, text: new TextDecoder().decode(bytes) }
}

function fileOf(ref: string, source: NodeRow): PublishedFile {
  const files = publishedFiles(source)
  const named = /\/published\/(.+)$/.exec(ref)?.[1]
  const found =
    named === undefined ? (files.length === 1 ? files[0] : undefined) : files.find(({ path }) => path === named)
  if (found !== undefined) return found
  throw new AppError('node.not_found', `${ref} names no one file.`, {
    hint: `The node published ${
      files
        .slice(0, 20)
        .map(({ path }) => path)
        .join(', ') || 'no file'
    }; read_file shows them in ${publishedOf(source.id)}.`,
  })
}

const SHOWN = 4000
const IN_ALL = 16_000
/** Less than this of a file tells nothing. */
const LEAST = 200

/** What a node builds on, for its worker to read at once: short files whole, of long ones the beginning. */
export async function refsText(core: Core, node: NodeRow): Promise<string> {
  let left = IN_ALL
  const shown: string[] = []
  const named: string[] = []
  for (const [name, ref] of Object.entries(refsOf(node))) {
    const text = await readPublished(core, node, ref).then(
      (read) => ('text' in read ? read.text : 'It was changed after it was published.'),
      (error: unknown) => {
        if (!isProblem(error)) throw error
        return `${error.message} ${error.hint ?? ''}`
      },
    )
    const room = Math.min(SHOWN, left)
    if (text.length > room && room < LEAST) {
      named.push(`- ${name}, ${ref}: read_ref("${name}") has all ${text.length} characters`)
      continue
    }
    left -= Math.min(text.length, room)
    const more = text.length > room ? ` (the beginning; read_ref("${name}") has all ${text.length} characters)` : ''
    shown.push(`- ${name}, ${ref}${more}:\n${quote(shorten(text, room))}`)
  }
  // Long mail is cut at its end, and each name has to be known.
  return shown.length === 0 ? '' : `What it refers to:\n${[...named, ...shown].join('\n')}`
}
