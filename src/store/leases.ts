import { sql } from 'kysely'
import type { SessionId } from '../contract/ids.ts'
import { prepared } from './drivers/prepared.ts'
import type { Db, SessionRow } from './tables.ts'

/** Who runs which session. None of these columns is told by an event, and each function is one statement. */

interface Claim {
  readonly owner: string
  readonly now: number
  readonly until: number
  /** How many attempts this claim counts for. */
  readonly attempts: number
}

/** Gives the wanted session to one runner, unless another holds it. Counts the attempt before anything runs. */
export async function claimSession(db: Db, id: SessionId, claim: Claim): Promise<SessionRow | undefined> {
  return (await claimById(db, id, claim))[0]
}

const claimById = prepared((db, id: SessionId, claim: Claim) =>
  db
    .updateTable('sessions')
    .set({
      lease_owner: claim.owner,
      lease_until: claim.until,
      fence: sql<number>`fence + 1`,
      attempts: sql<number>`attempts + ${claim.attempts}`,
    })
    .where('id', '=', id)
    .where('wanted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where((or) => or.or([or('lease_owner', 'is', null), or('lease_until', '<', claim.now)]))
    .returningAll(),
)

/** Takes a claim back within its transaction, as if it had not been made; the fence stays raised. */
export async function unclaimSession(
  db: Db,
  { id, fence }: Pick<SessionRow, 'id' | 'fence'>,
  attempts: number,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lease_owner: null, lease_until: null, attempts: sql<number>`attempts - ${attempts}` })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .execute()
}

export async function renewLeases(
  db: Db,
  owner: string,
  ids: readonly SessionId[],
  until: number,
): Promise<SessionId[]> {
  const rows = await db
    .updateTable('sessions')
    .set({ lease_until: until })
    .where('lease_owner', '=', owner)
    .where('id', 'in', [...ids])
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Those of these sessions that have a signal or were deleted. */
export async function toldSessions(
  db: Db,
  ids: readonly SessionId[],
): Promise<Pick<SessionRow, 'id' | 'signal' | 'deleted_at'>[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'signal', 'deleted_at'])
    .where('id', 'in', [...ids])
    .where((or) => or.or([or('signal', 'is not', null), or('deleted_at', 'is not', null)]))
    .execute()
}

/** Takes away the leases of one owner, or all leases; their holders can write nothing more. */
export async function takeLeases(db: Db, owner?: string): Promise<void> {
  const leases = db
    .updateTable('sessions')
    .set({ lease_owner: null, lease_until: null, fence: sql<number>`fence + 1` })
    .where('lease_owner', 'is not', null)
  await (owner === undefined ? leases : leases.where('lease_owner', '=', owner)).execute()
}
