import { sql } from 'kysely'
import { AppError } from '../contract/errors.ts'
import { hex } from '../lib/ids.ts'
import { badCursor } from './events.ts'
import type { Db } from './tables.ts'

/**
 * A database that was put back to an earlier state lives another life: the same positions then mean other events. Each
 * position that is handed out names its life, so that one from another life is refused and never misread.
 */
export async function settleLife(db: Db, place: string): Promise<{ life: string; moved: boolean }> {
  const known = await db.selectFrom('lives').selectAll().executeTakeFirstOrThrow()
  if (known.id !== '' && known.place === place) return { life: known.id, moved: false }
  const life = hex(4)
  await db.updateTable('lives').set({ id: life, place }).execute()
  return { life, moved: known.place !== '' }
}

/** Where this PostgreSQL database is: a dump that is restored has tables of its own. */
export async function databasePlace(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    select oid || '.' || 'events'::regclass::oid as place from pg_database where datname = current_database()`.execute(
    db,
  )
  return rows[0]!.place
}

export const inLife = (life: string, position: string): string => `${life}-${position}`

/** The position in a cursor of this life. */
export function positionIn(life: string, cursor: string): string {
  const named = /^([0-9a-f]{8})-(.+)$/s.exec(cursor)
  if (named === null) throw badCursor(cursor)
  if (named[1] !== life) throw otherLife()
  return named[2]!
}

/** The message is short enough for the reason with which a socket is closed. */
export const otherLife = (): AppError =>
  new AppError('events.expired', 'The database was put back or replaced: this position means nothing in it.', {
    hint: 'Read the state anew and go on from its Troupe-Seq.',
  })
