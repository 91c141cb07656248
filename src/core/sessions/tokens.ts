import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SessionId } from '../../contract/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Core, Project } from '../base/index.ts'
import { projectOfSession } from './project.ts'

/** A child process acts for its session with such a token. None is stored: another secret revokes them all. */
export interface SessionTokens {
  tokenOf(sessionId: SessionId): string
  /** The session that a token was made for with this secret. The session may have been deleted since. */
  sessionOf(token: string): SessionId | undefined
}

/** Who holds a token, and the only project it reaches. */
export interface Holder {
  readonly sessionId: SessionId
  readonly project: Project
}

const shape = /^ses_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/

/** `ses_<session>_<signature>`, signed with a key that is derived from the owner's token and is not that token. */
export function createTokens(secret: string): SessionTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'troupe session tokens', 32))
  const sign = (sessionId: SessionId): string => createHmac('sha256', key).update(sessionId).digest('base64url')
  return {
    tokenOf: (sessionId) => `ses_${sessionId}_${sign(sessionId)}`,
    sessionOf(token) {
      const [, sessionId, signature] = shape.exec(token) ?? []
      if (sessionId === undefined || signature === undefined) return undefined
      // Compared as text of 43 characters: base64url spells the same bytes in several ways, and only one is ours.
      return timingSafeEqual(Buffer.from(sign(sessionId)), Buffer.from(signature)) ? sessionId : undefined
    },
  }
}

/** Undefined for a forged token and for the token of a deleted session. */
export async function holderOf(core: Core, tokens: SessionTokens, token: string): Promise<Holder | undefined> {
  const sessionId = tokens.sessionOf(token)
  const session = sessionId === undefined ? undefined : await presentSession(core, sessionId)
  return session && { sessionId: session.id, project: await projectOfSession(core, session) }
}

/** Whether the token of a session still opens anything. */
export const holds = async (core: Core, sessionId: SessionId): Promise<boolean> =>
  (await presentSession(core, sessionId)) !== undefined

async function presentSession(core: Core, id: SessionId): Promise<SessionRow | undefined> {
  const session = await findSession(core.store.read, id)
  return session?.deleted_at === null ? session : undefined
}
