import { checkedSession } from '../../store/leases.ts'
import type { SessionRow } from '../../store/tables.ts'
import { SUSPECT_AFTER } from '../sessions/index.ts'
import { nameOf, wakes } from '../waits/index.ts'
import type { Cause, Look } from './reason.ts'

const NEXT = wakes('runner', 'the end of the checks, each of which takes seconds')

/** After crashes the sessions that may have caused them are checked one by one, and everything else waits for that. */
export async function checkReason(look: Look, session: SessionRow): Promise<Cause | undefined> {
  const checked = await checkedSession(look.db, { host: look.core.host, attempts: SUSPECT_AFTER })
  const who = checked && (await nameOf(look, checked)).who
  const waitsOn: Cause['waitsOn'] = checked
    ? [{ kind: 'session', ref: checked.id, label: `${who} is checked alone now` }]
    : [{ kind: 'runner', ref: look.core.host, label: 'this process checks it' }]
  if (session.attempts >= SUSPECT_AFTER) {
    const says = `waits to be checked alone after a crash: the program stopped ${session.attempts} times while it worked on it`
    return { says, waitsOn, wakes: NEXT, unblock: [] }
  }
  if (checked === undefined) return undefined
  return { says: 'waits until others have been checked alone after a crash', waitsOn, wakes: NEXT, unblock: [] }
}

/** A check is the only thing that is counted beyond suspicion. */
export const checkNotes = ({ attempts }: SessionRow): string[] =>
  attempts > SUSPECT_AFTER ? ['It is checked alone after a crash; everything else waits for that, for seconds.'] : []
