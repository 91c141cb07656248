import type { SessionId } from '../contract/ids.ts'
import type { SwitchRow } from './session-tables.ts'
import type { Db } from './tables.ts'

export async function insertSwitch(db: Db, row: SwitchRow): Promise<void> {
  await db.insertInto('switches').values(row).execute()
}

export async function findSwitch(db: Db, id: string): Promise<SwitchRow | undefined> {
  return db.selectFrom('switches').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The switch from this session that the same request has made before. */
export async function findSwitchByClient(db: Db, from: SessionId, clientId: string): Promise<SwitchRow | undefined> {
  return db
    .selectFrom('switches')
    .selectAll()
    .where('from_session_id', '=', from)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}
