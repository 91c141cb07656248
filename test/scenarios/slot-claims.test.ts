import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Core } from '../../src/core/base/core.ts'
import { createBus } from '../../src/core/base/events.ts'
import { onSession, transact } from '../../src/core/base/transaction.ts'
import { rest } from '../../src/core/sessions/row.ts'
import { newSession } from '../../src/core/sessions/sessions.ts'
import { claim } from '../../src/core/tasks/slots.ts'
import { newId } from '../../src/lib/ids.ts'
import { noLog } from '../../src/lib/log.ts'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { openSqlite } from '../../src/store/drivers/sqlite.ts'
import { renewLeases } from '../../src/store/leases.ts'
import { nothingUsed } from '../../src/store/request-tables.ts'
import { findSession, insertSession } from '../../src/store/sessions.ts'
import { findForSlot, takeSlot, unclaimedSessions } from '../../src/store/slots.ts'
import type { Store } from '../../src/store/store.ts'
import type { TaskRow } from '../../src/store/tables.ts'
import { findTask, insertTask, updateTask } from '../../src/store/tasks.ts'
import { createDatabase, type StoreKind, stores } from '../kit/database.ts'
import { makeFolder } from '../kit/files.ts'

const CLAIM = { leaseMs: 60_000, countsTo: 5 }
const clock = { now: () => Date.now() }

/** Two that claim, as two processes would where the store takes them; none of them runs anything by itself. */
async function claimers(kind: StoreKind, maxConcurrentTasks: number): Promise<[Core, Core]> {
  const home = makeFolder()
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ limits: { maxConcurrentTasks } }))
  const url = kind === 'postgres' ? await createDatabase() : ''
  const open = (): Promise<Store> =>
    kind === 'postgres'
      ? openPostgres({ url, now: clock.now })
      : openSqlite({ file: join(home, 'data.db'), durability: 'process', now: clock.now })
  const first = await open()
  const second = kind === 'postgres' ? await open() : first
  onTestFinished(async () => {
    for (const store of new Set([first, second])) await store.close()
  })
  const parts = { home, env: {}, flags: {}, clock, log: noLog, mask: (text: string) => text, bus: createBus() }
  const of = (store: Store, host: string) =>
    ({ ...parts, store, host, project: { id: 'p', path: home } }) as unknown as Core
  return [of(first, 'one'), of(second, 'two')]
}

/** A task in line, the older the lower its number. */
async function inLine({ store }: Core, at: number): Promise<TaskRow> {
  const project = { id: 'p', path: '/' }
  const session = newSession(project, { agent: 'writer', mode: 'subagent' }, at, {
    workspace: '/',
    wakeBudget: 6,
    host: null,
    moves: 0,
  })
  const task: TaskRow = {
    id: newId('task'),
    project_id: 'p',
    agent: 'writer',
    session_id: session.id,
    from_kind: 'human',
    node_id: null,
    spent_before: '{}',
    owner_session_id: null,
    parent_session_id: null,
    parent_task_id: null,
    client_id: null,
    call_id: null,
    status: 'pending',
    priority: 'normal',
    top_level: 0,
    return_mode: 'summary',
    instruction: `Work ${at}`,
    input: '{}',
    tags: '[]',
    output: null,
    error: null,
    max_duration_ms: null,
    max_iterations: null,
    max_cost_usd: null,
    max_wait_ms: 60_000,
    summarizing: 0,
    attempts: 1,
    retries: 0,
    counts_from: 0,
    chain_id: 'chain',
    hops: 0,
    cost_usd: 0,
    total_cost_usd: 0,
    unpriced_tokens: 0,
    ...nothingUsed,
    created_at: at,
    started_at: null,
    finished_at: null,
    updated_at: at,
  }
  await store.write(async (db) => {
    await insertSession(db, { ...session, task_id: task.id, wanted_at: at })
    await insertTask(db, task)
  })
  return task
}

/** A session of its own, wanted since then. */
async function wanted(store: Store, at: number): Promise<string> {
  const project = { id: 'p', path: '/' }
  const session = newSession(project, { agent: 'writer', mode: 'chat' }, at, {
    workspace: '/',
    wakeBudget: 6,
    host: null,
    moves: 0,
  })
  await store.write((db) => insertSession(db, { ...session, wanted_at: at }))
  return session.id
}

test.each(stores)('however many claim at once, only the first in line get the slots there are, on %s', async (kind) => {
  const [one, two] = await claimers(kind, 2)
  const tasks: TaskRow[] = []
  for (let at = 1; at <= 6; at++) tasks.push(await inLine(one, at))
  const claims = tasks.toReversed().flatMap((task) => [one, two].map((core) => claim(core, task.session_id, CLAIM)))
  const claimed = (await Promise.all(claims)).flatMap((session) => session?.task_id ?? [])
  expect(claimed.toSorted()).toEqual([tasks[0]!.id, tasks[1]!.id].toSorted())
  const rows = await one.store.read.selectFrom('tasks').selectAll().orderBy('created_at').execute()
  expect(rows.map(({ status }) => status)).toEqual(['processing', 'processing', ...Array(4).fill('pending')])
  // What was refused is as it was: wanted, held by nobody, no attempt counted.
  expect(await findSession(one.store.read, tasks[2]!.session_id)).toMatchObject({
    wanted_at: 3,
    lease_owner: null,
    attempts: 0,
  })
  await one.store.write((db) => updateTask(db, tasks[1]!.id, { status: 'waiting' }))
  await one.store.write((db) =>
    db.updateTable('sessions').set({ wanted_at: null }).where('id', '=', tasks[1]!.session_id).execute(),
  )
  expect(await claim(two, tasks[3]!.session_id, CLAIM)).toBeUndefined()
  expect(await claim(two, tasks[2]!.session_id, CLAIM)).toMatchObject({ task_id: tasks[2]!.id, attempts: 1 })
})

test.each(stores)('a task that was left processing and that nobody wants holds no slot, on %s', async (kind) => {
  const [one] = await claimers(kind, 1)
  const [first, second] = [await inLine(one, 1), await inLine(one, 2)]
  expect(await claim(one, first.session_id, CLAIM)).toMatchObject({ id: first.session_id })
  expect(await claim(one, second.session_id, CLAIM)).toBeUndefined()
  await onSession(one, first.session_id, 'set-aside', async (_tx, session) => rest(session, 'error', 'Stuck.'))
  expect(await claim(one, second.session_id, CLAIM)).toMatchObject({ id: second.session_id })
})

test.each(stores)(
  'no more sessions are named to be run than were asked for, those wanted longest first, on %s',
  async (kind) => {
    const [{ store }] = await claimers(kind, 1)
    const [, first, second] = [await wanted(store, 3), await wanted(store, 1), await wanted(store, 2)]
    expect(await unclaimedSessions(store.read, { host: 'one', now: 4, limit: 2, except: [] })).toEqual([first, second])
  },
)

test.each(stores)(
  'only the leases that are named and that their owner still holds are renewed, on %s',
  async (kind) => {
    const [one, two] = await claimers(kind, 1)
    const ids = [await wanted(one.store, 1), await wanted(one.store, 2), await wanted(one.store, 3)]
    for (const [at, core] of [one, one, two].entries()) await claim(core, ids[at]!, CLAIM)
    const leases = () => Promise.all(ids.map(async (id) => (await findSession(one.store.read, id))!.lease_until))
    const [, second, third] = await leases()
    const kept = await one.store.write((db) => renewLeases(db, one.host, [ids[0]!, ids[2]!], 7))
    expect(kept).toEqual([ids[0]])
    expect(await leases()).toEqual([7, second, third])
  },
)

test('on PostgreSQL a claim waits for whoever is being given the last slot at that moment', async () => {
  const [one, two] = await claimers('postgres', 1)
  const [first, second] = [await inLine(one, 1), await inLine(one, 2)]
  const [taken, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = transact(one, 'slow', async (tx) => {
    await findForSlot(tx.db, first.id)
    expect(await takeSlot(tx.db, one.host, first, { slots: 1, now: 3 })).toBe(true)
    taken.resolve()
    await gate.promise
  })
  await taken.promise
  // It stands in no line any more: only what is not committed yet speaks against the second.
  await one.store.write((db) =>
    db.updateTable('sessions').set({ signal: 'close' }).where('id', '=', first.session_id).execute(),
  )
  let settled = false
  const claimed = claim(two, second.session_id, CLAIM).finally(() => {
    settled = true
  })
  const isWaited = async () => {
    const locks = await sql<{ count: number }>`select count(*)::int as count from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
    return (await locks.execute(one.store.read)).rows[0]!.count > 0
  }
  while (!settled && !(await isWaited()));
  gate.resolve()
  await slow
  expect(await claimed).toBeUndefined()
  expect(await findTask(one.store.read, second.id)).toMatchObject({ status: 'pending' })
})
