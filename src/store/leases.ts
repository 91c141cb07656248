import { sql } from 'kysely'
import type { SessionId } from '../contract/ids.ts'
import { DATABASE_NOW } from './drivers/database-clock.ts'
import { isPostgres } from './drivers/dialect.ts'
import { prepared } from './drivers/prepared.ts'
import { runsOn } from './hosts.ts'
import type { Db, SessionRow } from './tables.ts'

/** Who runs which session. None of these columns is told by an event, and each function is one statement. */

interface Claim {
  readonly owner: string
  /** What it is now; on PostgreSQL the database's clock counts instead. */
  readonly now: number
  readonly leaseMs: number
  /** The claim counts as an attempt while there are fewer than this. */
  readonly countsTo: number
}

/**
 * Gives the wanted session to one runner, unless another holds it or its workspace is on another host. Whoever may stop
 * a session needs no workspace. Counts the attempt before anything runs.
 */
export async function claimSession(db: Db, id: SessionId, claim: Claim): Promise<SessionRow | undefined> {
  return (await claimById(db, id, claim))[0]
}

const claimById = prepared((db, id: SessionId, claim: Claim) => {
  const now = isPostgres(db) ? DATABASE_NOW : sql<number>`${claim.now}`
  return db
    .updateTable('sessions')
    .set({
      lease_owner: claim.owner,
      lease_until: sql<number>`${now} + ${claim.leaseMs}`,
      fence: sql<number>`fence + 1`,
      attempts: sql<number>`case when attempts < ${claim.countsTo} then attempts + 1 else attempts end`,
    })
    .where('id', '=', id)
    .where('wanted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where((or) => or.or([or('lease_owner', 'is', null), or('lease_until', '<', now)]))
    .where(sql<boolean>`(${runsOn(claim.owner)} or sessions.signal in ('cancel', 'close'))`)
    .returningAll()
})

/** Takes the first claim of a turn back within its transaction, as if it had not been made; the fence stays raised. */
export async function unclaimSession(db: Db, { id, fence }: Pick<SessionRow, 'id' | 'fence'>): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lease_owner: null, lease_until: null, attempts: 0 })
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

interface Suspicion {
  readonly host: string
  readonly now: number
  /** From so many attempts on. */
  readonly attempts: number
  readonly limit: number
}

/**
 * Sessions that nobody holds after so many attempts without progress. Whoever was checked least comes first, then whoever
 * was in hand at the fewest crashes: so a crash that none of them caused is held against each in turn.
 */
export async function suspectSessions(
  db: Db,
  { host, now, attempts, limit }: Suspicion,
): Promise<Pick<SessionRow, 'id' | 'checks'>[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'checks'])
    .where('wanted_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .where('attempts', '>=', attempts)
    .where((or) => or.or([or('lease_owner', 'is', null), or('lease_until', '<', now)]))
    .where(runsOn(host))
    .orderBy('checks')
    .orderBy('attempts')
    .orderBy('wanted_at')
    .limit(limit)
    .execute()
}

/** The session that is checked alone on this host, if its process still lives. */
export async function checkedSession(
  db: Db,
  { host, attempts }: Pick<Suspicion, 'host' | 'attempts'>,
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('wanted_at', 'is not', null)
    .where('attempts', '>', attempts)
    .where('lease_owner', '=', host)
    .executeTakeFirst()
}
