import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Look } from './reason.ts'

/** The session that something belongs to, also when it was deleted since. */
export async function ownerOf({ db }: Look, id: SessionId): Promise<SessionRow> {
  const session = await findSession(db, id)
  if (session === undefined) throw new AppError('session.not_found', `There is no session ${id}.`)
  return session
}
