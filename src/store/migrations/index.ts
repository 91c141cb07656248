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
]

export const schemaVersion = migrations.length

/** Makes the table `migrations` if needed and reads the newest version applied. The caller holds the lock. */
export async function currentVersion(db: Db): Promise<number> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null, at bigint not null)`.execute(
    db,
  )
  const row = await db.selectFrom('migrations').select(db.fn.max('id').as('id')).executeTakeFirst()
  const version = Number(row?.id ?? 0)
  if (version > schemaVersion) {
    throw new AppError('store.newer', `This database has schema ${version}; this program knows ${schemaVersion}.`, {
      hint: 'Use a newer troupe, or restore a backup made by this one.',
    })
  }
  return version
}

export async function migrateOne(db: Db, dialect: Dialect, version: number, at: number): Promise<void> {
  const migration = migrations[version]!
  for (const statement of migration.statements(dialect)) await sql.raw(statement).execute(db)
  await db
    .insertInto('migrations')
    .values({ id: version + 1, name: migration.name, at })
    .execute()
}
