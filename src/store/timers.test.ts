import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../test/kit/database.ts'
import { newSession } from '../core/sessions/sessions.ts'
import { openPostgres } from './drivers/postgres.ts'
import { putProject } from './projects.ts'
import { insertSession } from './sessions.ts'
import { dueTimers, insertTimer, takeTimer } from './timers.ts'

const LOOKS = 2000

test('an errand that is left again while it is served is served after what left it, on PostgreSQL', async () => {
  const url = await createDatabase()
  const [one, other] = [await openPostgres({ url, now: () => 1 }), await openPostgres({ url, now: () => 1 })]
  const gate = Promise.withResolvers<void>()
  onTestFinished(async () => {
    gate.resolve()
    await Promise.all([one.close(), other.close()])
    await dropDatabase(url)
  })
  const project = { id: 'p', path: '/' }
  const session = newSession(project, { agent: 'writer' }, 1, { workspace: '/', wakeBudget: 6, host: null, moves: 0 })
  const errand = { id: 'charge:t:s', due_at: 1, kind: 'charge', ref: 't', session_id: session.id, payload: '{}' }
  await one.write(async (db) => {
    await putProject(db, project, 1)
    await insertSession(db, session)
    await insertTimer(db, errand)
  })
  const [timer] = await dueTimers(one.read, 1, 1)
  const left = Promise.withResolvers<void>()
  const leaving = one.write(async (db) => {
    await insertTimer(db, { ...errand, due_at: 5 })
    // A write is not waited for; what is read behind it was answered behind it.
    await sql`select 1`.execute(db)
    left.resolve()
    await gate.promise
  })
  await left.promise
  let served = false
  const serving = other.write(async (db) => {
    served = await takeTimer(db, timer!)
  })
  const waiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  let looks = 0
  while ((await waiting.execute(one.read)).rows[0]!.count === 0 && looks < LOOKS) looks += 1
  expect([served, looks < LOOKS]).toEqual([false, true])
  gate.resolve()
  await Promise.all([leaving, serving])
  expect(served).toBe(true)
})
