import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { MemoryWritten } from '../../contract/memory.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findMemoryWrite, finishMemoryWrite, insertMemoryWrite, putMemoryFile } from '../../store/memory.ts'
import type { MemoryWriteRow } from '../../store/memory-tables.ts'
import { findSession } from '../../store/sessions.ts'
import { aboutSession, type Core, type Project, transact } from '../base/index.ts'
import { KEPT_CHARS } from './difference.ts'
import { hashOf, readBytes, removeFile, writeBytes } from './files.ts'
import { inTurn } from './lock.ts'
import { memoryPath } from './paths.ts'
import { refuseMask, refuseSize, refuseStale } from './refusals.ts'
import { memorySource, type Scope } from './scopes.ts'
import { digestOf, type MemoryChange, outcomeOf, textAfter } from './text.ts'
import { knowOwnWrite } from './told.ts'

/** Who writes: a call of a session, or a person. */
interface Writer {
  /** The key under which the write is noted: the same again writes nothing twice. */
  readonly id: string
  readonly sessionId?: SessionId
}

const NOTED_MS = 30 * 86_400_000

/**
 * Appends to a file or replaces it; an empty text in place of the old one removes the file. What is meant is noted before
 * the file changes, so that the same call after a crash can tell from the file whether it was done.
 */
export async function writeMemory(
  core: Core,
  project: Project,
  scope: Scope,
  change: MemoryChange,
  writer: Writer,
): Promise<MemoryWritten> {
  return inTurn(scope, async () => {
    const noted = await findMemoryWrite(core.store.read, writer.id)
    if (noted?.done) return written(scope, noted)
    const row = (noted && (await foundIn(scope, noted, change.mode))) ?? (await put(core, scope, change, writer))
    const text = await keptText(scope, row)
    await transact(core, 'memory.write', async (tx) => {
      await finishMemoryWrite(tx.db, row.id)
      const { root, path, after_digest: digest, before_digest: before, after_bytes: bytes } = row
      await putMemoryFile(tx.db, { root, path, digest, host: core.host, text })
      const session = writer.sessionId && (await findSession(tx.db, writer.sessionId))
      if (session && scope.name !== 'worker')
        await knowOwnWrite(tx.db, session.id, { source: memorySource(scope, path), before, after: digest })
      const about = session ? aboutSession(session) : { project: project.id }
      const { name, agent } = scope
      tx.record('memory.written', about, {
        scope: name,
        ...(agent !== undefined && { agent }),
        path,
        mode: digest === '' ? 'delete' : change.mode,
        bytes,
        by: session ? 'agent' : 'human',
        ...(session && { callId: row.id }),
      })
    })
    return written(scope, row)
  })
}

/** What was written, to show later what somebody else has changed in it; null where somebody already has. */
async function keptText(scope: Scope, { path, after_digest }: MemoryWriteRow): Promise<string | null> {
  const there = await readBytes(scope, path)
  const text = there?.bytes.toString() ?? ''
  return digestOf(there?.bytes) !== after_digest || text.length > KEPT_CHARS ? null : text
}

async function put(core: Core, scope: Scope, change: MemoryChange, { id, sessionId }: Writer): Promise<MemoryWriteRow> {
  const now = core.clock.now()
  const path = memoryPath(scope, change.path, now)
  const there = await readBytes(scope, path)
  refuseStale(scope, path, change, there, now)
  // What a person writes is theirs; what an agent writes holds no secrets.
  if (sessionId && change.mode === 'replace') refuseMask(scope, path, change.content, there)
  const after = textAfter(there?.bytes, sessionId ? { ...change, content: core.mask(change.content) } : change)
  refuseSize(scope, path, after, there)
  const row: MemoryWriteRow = {
    id,
    root: scope.root,
    path,
    before_digest: digestOf(there?.bytes),
    before_bytes: there?.bytes.length ?? 0,
    after_digest: digestOf(after),
    after_bytes: after?.length ?? 0,
    done: 0,
    at: now,
  }
  await transact(core, 'memory.intend', ({ db }) => insertMemoryWrite(db, row, now - NOTED_MS))
  crashPoint('memory.before-write')
  if (after === undefined) await removeFile(scope, path)
  else await writeBytes(scope, path, after)
  crashPoint('memory.after-write')
  return row
}

/** The noted write, where the file has it already; undefined where it is to be made. */
async function foundIn(
  scope: Scope,
  noted: MemoryWriteRow,
  mode: MemoryChange['mode'],
): Promise<MemoryWriteRow | undefined> {
  const there = await readBytes(scope, noted.path)
  const outcome = outcomeOf(noted, there?.bytes, mode)
  if (outcome !== 'unclear') return outcome === 'done' ? noted : undefined
  throw new AppError(
    'memory.conflict',
    `Whether this was written to ${memorySource(scope, noted.path)} cannot be told: it was cut off, and the file has been rewritten since.`,
    { hint: 'Read the file with memory_read, and write again only what is missing.' },
  )
}

const written = ({ name, agent }: Scope, row: MemoryWriteRow): MemoryWritten => ({
  scope: name,
  ...(agent !== undefined && { agent }),
  path: row.path,
  bytes: row.after_bytes,
  hash: hashOf(row.after_digest),
})
