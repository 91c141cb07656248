import { AppError } from '../../contract/errors.ts'
import type { SessionRow } from '../../store/tables.ts'

export function mustBeIdle(session: SessionRow, what: string): void {
  const atRest = ['idle', 'error', 'closed'].includes(session.status)
  if (atRest && session.wanted_at === null && session.lease_owner === null) return
  const state = atRest ? 'about to begin a turn' : session.status
  throw new AppError('session.busy', `The session is ${state}; it can be ${what} only while idle.`, {
    hint: 'Cancel the turn first, or wait for it to end.',
  })
}
