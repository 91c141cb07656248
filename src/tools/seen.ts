import type { SessionId } from '../contract/ids.ts'
import { sha256 } from '../lib/files.ts'

/** What each session last saw in a file, so that no edit is based on an older content. Forgotten with the process. */

const KEPT = 20_000
const seen = new Map<string, string>()

export function remember(sessionId: SessionId, real: string, content: string | Uint8Array): void {
  const key = `${sessionId}:${real}`
  seen.delete(key)
  seen.set(key, sha256(content))
  if (seen.size > KEPT) seen.delete(seen.keys().next().value ?? key)
}

export function compare(sessionId: SessionId, real: string, content: Uint8Array): 'same' | 'changed' | 'unseen' {
  const hash = seen.get(`${sessionId}:${real}`)
  if (hash === undefined) return 'unseen'
  return hash === sha256(content) ? 'same' : 'changed'
}
