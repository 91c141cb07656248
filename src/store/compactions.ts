import type { SessionId } from '../contract/ids.ts'
import type { CompactionRow } from './compaction-tables.ts'
import { atMost } from './drivers/limit.ts'
import { prepared } from './drivers/prepared.ts'
import { isObject, readJson } from './drivers/unreadable.ts'
import type { Db } from './tables.ts'

/** The compaction that counts for a session, or counted while its log ended there. */
export async function findCompaction(
  db: Db,
  sessionId: SessionId,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<CompactionRow | undefined> {
  return (await selectNewest(db, sessionId, upTo))[0]
}

const selectNewest = prepared((db, sessionId: SessionId, upTo: number) =>
  db
    .selectFrom('compactions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('state', '=', 'done')
    .where('from_seq', '<=', upTo)
    .orderBy('number', 'desc')
    .limit(atMost(1)),
)

/** The newest of a session, whatever became of it. */
export async function latestCompaction(db: Db, sessionId: SessionId): Promise<CompactionRow | undefined> {
  return db
    .selectFrom('compactions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function insertCompaction(db: Db, row: CompactionRow): Promise<void> {
  await db.insertInto('compactions').values(row).execute()
}

export async function updateCompaction(
  db: Db,
  { session_id, number }: Pick<CompactionRow, 'session_id' | 'number'>,
  change: Partial<CompactionRow>,
): Promise<void> {
  await db
    .updateTable('compactions')
    .set(change)
    .where('session_id', '=', session_id)
    .where('number', '=', number)
    .execute()
}

/** Those whose summary stands for this message go, and so does every one if no message is named. */
export async function deleteCompactions(db: Db, sessionId: SessionId, covering = 0): Promise<void> {
  await db.deleteFrom('compactions').where('session_id', '=', sessionId).where('from_seq', '>', covering).execute()
}

/** What the agent wrote to memory so far; where it cannot be read, it writes nothing more. */
export const readFlush = ({ session_id, number, flush }: CompactionRow): Readonly<Record<string, unknown>> =>
  readJson({ table: 'compactions', key: `${session_id} ${number}`, column: 'flush' }, flush, isObject, { done: true })
