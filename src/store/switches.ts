import type { SessionId } from '../contract/ids.ts'
import type { Db } from './tables.ts'

/** The person went on from one session to another. */
export interface SwitchRow {
  id: string
  from_session_id: string
  to_session_id: string
  /** A request that is sent again leads to the same place. */
  client_id: string | null
  /** The mail that went along. */
  mail_id: string | null
  at: number
}

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
