import type { SessionId } from '../../contract/ids.ts'
import { sha256 } from '../../lib/files/files.ts'
import { findSeen, putSeen, trimSeen } from '../../store/seen.ts'
import { type Core, transact } from '../base/index.ts'

/** Each session's last look at a file is kept, also over a restart, so that no edit is based on older content. */

type Reader = { readonly core: Core; readonly sessionId: SessionId }

const KEPT = 1000

export async function rememberFile(
  { core, sessionId }: Reader,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  const digest = sha256(content)
  if ((await findSeen(core.store.read, sessionId, path)) === digest) return
  await transact(core, 'file.seen', async ({ db, now }) => {
    await putSeen(db, { session_id: sessionId, path, digest, seen_at: now })
    await trimSeen(db, sessionId, KEPT)
  })
}

export async function compareFile(
  { core, sessionId }: Reader,
  path: string,
  content: Uint8Array,
): Promise<'same' | 'changed' | 'unseen'> {
  const digest = await findSeen(core.store.read, sessionId, path)
  if (digest === undefined) return 'unseen'
  return digest === sha256(content) ? 'same' : 'changed'
}
