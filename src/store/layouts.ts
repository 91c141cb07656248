import { isObject, readJson } from './drivers/unreadable.ts'
import type { Db } from './tables.ts'

/** There is one person. */
const ID = 'person'

export async function putLayout(db: Db, value: string, at: number): Promise<void> {
  const row = { id: ID, value, updated_at: at }
  await db
    .insertInto('layouts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function findLayout(db: Db): Promise<{ value: Record<string, unknown>; updatedAt: number } | undefined> {
  const row = await db.selectFrom('layouts').selectAll().where('id', '=', ID).executeTakeFirst()
  const place = { table: 'layouts', key: ID, column: 'value' }
  return row && { value: readJson(place, row.value, isObject, {}), updatedAt: row.updated_at }
}
