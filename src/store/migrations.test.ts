import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, stores } from '../../test/database.ts'
import { currentVersion, migrateOne, schemaVersion } from './migrations.ts'
import { kyselyOver } from './statements.ts'
import type { Db, Tables } from './tables.ts'

async function open(kind: StoreKind): Promise<Db> {
  if (kind === 'sqlite') {
    const connection = new DatabaseSync(':memory:')
    onTestFinished(() => connection.close())
    return kyselyOver(connection, () => {})
  }
  const pool = new pg.Pool({ connectionString: await createDatabase(), max: 1 })
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  onTestFinished(() => db.destroy())
  return db
}

async function migrate(db: Db, kind: StoreKind, from: number, to: number): Promise<void> {
  await currentVersion(db)
  for (let version = from; version < to; version++) await migrateOne(db, kind, version, 1)
}

const versionBefore = async (kind: StoreKind, name: string): Promise<number> => {
  const db = await open(kind)
  await migrate(db, kind, 0, schemaVersion)
  const rows = await db.selectFrom('migrations').select('name').orderBy('id').execute()
  return rows.findIndex((row) => row.name === name)
}

const task = (
  id: string,
  status: string,
) => sql`insert into tasks (id, project_id, agent, session_id, status, top_level,
  return_mode, instruction, summarizing, chain_id, hops, cost_usd, created_at, updated_at)
  values (${`task_${id}`}, 'p', 'writer', ${id}, ${status}, 0, 'summary', 'Dig', 0, 'chain', 0, 0, 1, 1)`

const session = (
  id: string,
  status: string,
) => sql`insert into sessions (id, project_id, agent, mode, title, attributes,
  status, workspace, message_count, next_seq, next_mail, log_version, tokens_input, tokens_output, tokens_cached,
  tokens_reasoning, cost_usd, compaction_count, auto_wake_budget, last_snippet, read_seq, priority, fence, attempts,
  created_at, updated_at, task_id)
  values (${id}, 'p', 'writer', 'subagent', '', '{}', ${status}, '/', 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 6, '', 0, 0, 0, 0, 7, 7,
  ${`task_${id}`})`

test.each(stores)('tasks that an older program left pending are wanted, on %s', async (kind) => {
  const version = await versionBefore(kind, 'task-slots')
  const db = await open(kind)
  await migrate(db, kind, 0, version)
  for (const [id, status, of] of [
    ['left', 'idle', 'pending'],
    ['paused', 'paused', 'pending'],
    ['resting', 'idle', 'waiting'],
  ] as const) {
    await session(id, status).execute(db)
    await task(id, of).execute(db)
  }
  await migrate(db, kind, version, schemaVersion)
  const rows = await db.selectFrom('sessions').select(['id', 'wanted_at']).orderBy('id').execute()
  expect(rows.map(({ id, wanted_at }) => [id, wanted_at === null ? null : Number(wanted_at)])).toEqual([
    ['left', 7],
    ['paused', null],
    ['resting', null],
  ])
  expect(await db.selectFrom('tasks').select(['priority']).execute()).toEqual(Array(3).fill({ priority: 'normal' }))
})
