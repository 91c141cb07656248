import type { SessionId } from '../../contract/ids.ts'
import { openCalls } from '../../store/calls.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, Db, SessionRow } from '../../store/tables.ts'
import { openTasksOf } from '../../store/tasks.ts'
import { askedForMoney } from '../budgets/index.ts'
import { waitFor } from './kinds.ts'
import { asksPerson } from './open-calls.ts'

/** The sessions whose work a parked call waits for. */
export const sessionsBehind = async (db: Db, call: CallRow): Promise<SessionId[]> =>
  (await waitFor(call)?.behind?.(db, call)) ?? []

/** After this many sessions the search ends, as if no person held them up. */
const FAR = 200

/** Whether a question, an approval, a budget or a pause holds up this session or one that it waits for, however far behind. */
export async function needsPerson(db: Db, { id }: Pick<SessionRow, 'id'>): Promise<boolean> {
  const behind = new Set<SessionId>([id])
  for (const next of behind) {
    const open = await openCalls(db, next)
    if (open.some(asksPerson)) return true
    if ((await findSession(db, next))?.status === 'paused') return true
    if ((await askedForMoney(db, next)) !== undefined) return true
    for (const call of open) for (const other of await sessionsBehind(db, call)) behind.add(other)
    for (const { session_id } of await openTasksOf(db, next)) behind.add(session_id)
    if (behind.size > FAR) return false
  }
  return false
}
