import { sql } from 'kysely'
import { AppError } from '../../contract/errors.ts'
import type { Db } from '../tables.ts'
import { trunk } from './001-trunk.ts'
import { makers } from './002-makers.ts'
import { talk } from './003-talk.ts'
import { provenance } from './004-provenance.ts'
import { taskSlots } from './005-task-slots.ts'
import { claimedTimers } from './006-claimed-timers.ts'
import { money } from './007-money.ts'
import { told } from './008-told.ts'
import { secrets } from './009-secrets.ts'
import { eventColumns } from './010-events.ts'
import { waits } from './011-waits.ts'
import { cutAnswers } from './012-cut-answers.ts'
import { hosts } from './013-hosts.ts'
import { lives } from './014-lives.ts'
import { trackedTasks } from './015-tasks.ts'
import { budgets } from './016-budgets.ts'
import { triggers } from './017-triggers.ts'
import { tools } from './019-tools.ts'
import { memory } from './020-memory.ts'
import { compaction } from './021-compaction.ts'
import { hooks } from './024-hooks.ts'
import { memoryTexts } from './026-memory-texts.ts'
import { runs } from './027-runs.ts'
import { runFiles } from './028-run-files.ts'
import { runLife } from './029-run-life.ts'
import { board } from './030-board.ts'
import { inbox } from './031-inbox.ts'
import { runDetails } from './032-run-details.ts'
import { layouts } from './033-layouts.ts'
import { inboxIds } from './034-inbox-ids.ts'
import { nodeTasks } from './035-node-tasks.ts'
import { runPolicies } from './036-run-policies.ts'
import { runTitles } from './037-run-titles.ts'
import type { Dialect, Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  trunk,
  makers,
  talk,
  provenance,
  taskSlots,
  claimedTimers,
  money,
  told,
  secrets,
  eventColumns,
  waits,
  cutAnswers,
  hosts,
  lives,
  trackedTasks,
  budgets,
  triggers,
  tools,
  memory,
  compaction,
  hooks,
  memoryTexts,
  runs,
  runFiles,
  runLife,
  board,
  inbox,
  runDetails,
  layouts,
  inboxIds,
  nodeTasks,
  runPolicies,
  runTitles,
]

interface Schema {
  /** How many were applied. */
  readonly applied: number
  readonly pending: readonly Migration[]
}

/**
 * Makes the table `migrations` if needed and says what is still to be done. Migrations are known by name: one that joins
 * the list before others is applied to databases that have those already. The caller holds the lock.
 */
export async function migrationsIn(db: Db): Promise<Schema> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null, at bigint not null)`.execute(
    db,
  )
  const names = (await db.selectFrom('migrations').select('name').orderBy('id').execute()).map(({ name }) => name)
  refuseNewer('This database', names, 'Use a newer troupe, or restore a backup made by this one.')
  return { applied: names.length, pending: migrations.filter(({ name }) => !names.includes(name)) }
}

/** What this program does not know was made by a newer one. */
export function refuseNewer(what: string, names: readonly string[], hint: string): void {
  const unknown = names.filter((name) => !migrations.some((known) => known.name === name))
  if (unknown.length === 0) return
  throw new AppError('store.newer', `${what} has changes that this program does not know: ${unknown.join(', ')}.`, {
    hint,
  })
}

export async function migrateOne(db: Db, dialect: Dialect, migration: Migration, at: number): Promise<void> {
  for (const statement of migration.statements(dialect)) await sql.raw(statement).execute(db)
  const last = await db.selectFrom('migrations').select(db.fn.max('id').as('id')).executeTakeFirst()
  await db
    .insertInto('migrations')
    .values({ id: Number(last?.id ?? 0) + 1, name: migration.name, at })
    .execute()
}
