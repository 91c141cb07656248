import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, stores } from '../../test/kit/database.ts'
import { makeFolder } from '../../test/kit/files.ts'
import { selectSpent, sumSince } from './cost.ts'
import { openPostgres } from './drivers/postgres.ts'
import { openSqlite } from './drivers/sqlite.ts'
import { kyselyOver } from './drivers/statements.ts'
import { migrateOne, migrations, migrationsIn } from './migrations/index.ts'
import type { Store } from './store.ts'
import type { Db, Tables } from './tables.ts'

/** The schema before own and total cost were kept apart. */
const BEFORE = 3

/** Opens a database that an older program made, with these rows. */
async function opened(kind: StoreKind, rows: readonly string[]): Promise<Store> {
  const folder = makeFolder()
  const file = join(folder, 'data.db')
  const url = kind === 'postgres' ? await createDatabase({ empty: true }) : ''
  const connection = kind === 'sqlite' ? new DatabaseSync(file) : undefined
  const old: Db = connection
    ? kyselyOver(connection, () => {})
    : new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
  await migrationsIn(old)
  for (const migration of migrations.slice(0, BEFORE)) await migrateOne(old, kind, migration, 0)
  for (const row of rows) await sql.raw(row).execute(old)
  await old.destroy()
  connection?.close()
  const now = () => 0
  const store =
    kind === 'sqlite' ? await openSqlite({ file, durability: 'process', now }) : await openPostgres({ url, now })
  onTestFinished(() => store.close())
  return store
}

const session = (id: string, cost: number, parent = 'null') =>
  `insert into sessions (id, project_id, agent, mode, parent_session_id, title, attributes, status, workspace, message_count,
    next_seq, next_mail, log_version, tokens_input, tokens_output, tokens_cached, tokens_reasoning, cost_usd,
    compaction_count, auto_wake_budget, last_snippet, read_seq, priority, fence, attempts, created_at, updated_at)
   values ('${id}', 'p', 'a-${id}', 'chat', ${parent}, '', '{}', 'idle', '/', 1, 2, 1, 0, 0, 0, 0, 0, ${cost}, 0, 6, '', 0, 0,
    0, 0, 0, 0)`
const turn = (id: string, of: string, cost: number) =>
  `insert into turns (id, session_id, started_at, iterations, waited_ms, tokens_input, tokens_output, tokens_cached,
    tokens_reasoning, cost_usd) values ('${id}', '${of}', 0, 1, 0, 0, 0, 0, 0, ${cost})`
const answer = (of: string, turnId: string, cost: number | 'null') =>
  `insert into messages (session_id, seq, role, parts, turn_id, model, tokens_input, tokens_output, tokens_cached,
    tokens_reasoning, cost_usd, interrupted, created_at)
   values ('${of}', 1, 'assistant', '[]', '${turnId}', 'lab/m', 10, 1, 0, 0, ${cost}, 0, 100)`
const task = (id: string, of: string, parent: string, cost: number) =>
  `insert into tasks (id, project_id, agent, session_id, parent_session_id, status, top_level, return_mode, instruction,
    summarizing, chain_id, hops, cost_usd, created_at, finished_at, updated_at)
   values ('${id}', 'p', 'a', '${of}', '${parent}', 'finished', 0, 'summary', 'x', 0, 'c', 0, ${cost}, 0, 1, 0)`
const told = (taskId: string, parent: string) =>
  `insert into subscriptions (task_id, session_id, state, created_at) values ('${taskId}', '${parent}', 'told', 0)`

describe.each(stores)('money of an older database on %s', (kind) => {
  test('is told apart: own, with children, unpriced; and what a fork copied is not counted', async () => {
    const store = await opened(kind, [
      session('top', 6),
      session('child', 5, `'top'`),
      session('grandchild', 0, `'child'`),
      session('fork', 0),
      session('cleared', 7),
      ...[turn('t1', 'top', 6), turn('t2', 'child', 5), turn('t3', 'grandchild', 0), turn('t4', 'cleared', 7)],
      ...[
        answer('top', 't1', 1),
        answer('child', 't2', 5),
        answer('grandchild', 't3', 'null'),
        answer('fork', 't1', 1),
      ],
      ...[task('k1', 'child', 'top', 5), task('k2', 'grandchild', 'child', 0)],
      ...[told('k1', 'top'), told('k2', 'child')],
    ])
    const spent = async (table: 'sessions' | 'turns' | 'tasks') =>
      Object.fromEntries(
        (
          await store.read.selectFrom(table).select(['id', 'cost_usd', 'total_cost_usd', 'unpriced_tokens']).execute()
        ).map((row) => [row.id, [row.cost_usd, row.total_cost_usd, row.unpriced_tokens]]),
      )
    expect(await spent('sessions')).toEqual({
      top: [1, 6, 11],
      child: [5, 5, 11],
      grandchild: [0, 0, 11],
      fork: [0, 0, 0],
      cleared: [7, 7, 0],
    })
    expect(await spent('turns')).toEqual({ t1: [1, 6, 0], t2: [5, 5, 0], t3: [0, 0, 11], t4: [7, 7, 0] })
    expect(await spent('tasks')).toEqual({ k1: [5, 5, 11], k2: [0, 0, 11] })
    const charged = await store.read.selectFrom('subscriptions').select(['charged_usd', 'charged_tokens']).execute()
    expect(charged.map((row) => [row.charged_usd, row.charged_tokens]).toSorted()).toEqual([
      [0, 11],
      [5, 11],
    ])
    expect(await sumSince(store.read, 0, '*')).toEqual({ costUsd: 6, unpricedTokens: 11 })
    const rows = await selectSpent(store.read, { project: 'p', since: undefined, limit: 10 })
    expect(rows.map(({ agent, messages }) => [agent, messages]).toSorted()).toEqual([
      ['a-child', 1],
      ['a-grandchild', 1],
      ['a-top', 1],
    ])
    expect(await selectSpent(store.read, { project: 'p', since: undefined, limit: 2 })).toHaveLength(2)
  })
})
