import type { Db, TimerRow } from './tables.ts'

export async function insertTimer(db: Db, row: TimerRow): Promise<void> {
  await db
    .insertInto('timers')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function dueTimers(db: Db, now: number, limit: number): Promise<TimerRow[]> {
  return db.selectFrom('timers').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute()
}

export async function nextTimer(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('timers').select('due_at').orderBy('due_at').limit(1).executeTakeFirst()
  return row?.due_at
}

export async function deleteTimers(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db
      .deleteFrom('timers')
      .where('id', 'in', [...ids])
      .execute()
}

export async function postponeTimer(db: Db, id: string, due: number, payload: unknown): Promise<void> {
  await db
    .updateTable('timers')
    .set({ due_at: due, payload: JSON.stringify(payload) })
    .where('id', '=', id)
    .execute()
}
