import { expect, onTestFinished, test } from 'vitest'
import { newSession } from '../../src/core/sessions/sessions.ts'
import { ring } from '../../src/core/timers/ring.ts'
import { openPostgres } from '../../src/store/drivers/postgres.ts'
import { insertSession } from '../../src/store/sessions.ts'
import type { Store } from '../../src/store/store.ts'
import type { TimerRow } from '../../src/store/tables.ts'
import { claimTimers, freeTimers, insertTimer, takeTimer } from '../../src/store/timers.ts'
import { createDatabase } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

/** SQLite needs no claims: its data folder has one process. */

const LATER = Number.MAX_SAFE_INTEGER

test('of two processes that claim at the same moment each gets timers of its own, and neither waits for the other', async () => {
  const { first, second, left } = await twoStores(10)
  const gate = Promise.withResolvers<void>()
  const claimed = Promise.withResolvers<string[]>()
  const open = first.write(async (db) => {
    claimed.resolve(idsOf(await claimTimers(db, claimBy('first', { limit: 4 }))))
    await gate.promise
  })
  const a = await claimed.promise
  // The first has not committed yet.
  const b = idsOf(await second.write((db) => claimTimers(db, claimBy('second', { limit: 4 }))))
  gate.resolve()
  await open
  const c = idsOf(await second.write((db) => claimTimers(db, claimBy('second', { limit: 100 }))))
  expect([a, b, c]).toEqual([left.slice(0, 4), left.slice(4, 8), left.slice(8)])
  expect(await first.write((db) => claimTimers(db, claimBy('first')))).toEqual([])
})

test('what a process has claimed and does not serve is served by another once the claim runs out, and by that one alone', async () => {
  const { first, second, left } = await twoStores(1)
  const [stale] = await first.write((db) => claimTimers(db, claimBy('first', { now: 100, until: 200 })))
  expect(await second.write((db) => claimTimers(db, claimBy('second', { now: 200, until: 300 })))).toEqual([])
  const [fresh] = await second.write((db) => claimTimers(db, claimBy('second', { now: 201, until: 301 })))
  expect([stale?.id, fresh?.id]).toEqual([left[0], left[0]])
  expect(await first.write((db) => takeTimer(db, stale!))).toBe(false)
  expect(await second.write((db) => takeTimer(db, fresh!))).toBe(true)
  expect(await second.write((db) => takeTimer(db, fresh!))).toBe(false)
})

test('a start gives back what its predecessor had claimed, and nothing of another', async () => {
  const { first, left } = await twoStores(2)
  await first.write((db) => claimTimers(db, claimBy('gone', { limit: 1 })))
  await first.write((db) => claimTimers(db, claimBy('alive', { limit: 1 })))
  await first.write((db) => freeTimers(db, 'gone'))
  expect(idsOf(await first.write((db) => claimTimers(db, claimBy('gone'))))).toEqual([left[0]])
})

test('a server leaves alone what another process has claimed, and serves it when that claim runs out', async () => {
  const world = await createWorld({ store: 'postgres' })
  const { core } = world.server
  const [theirs, ours] = [await unreadMail(world), await unreadMail(world)]
  await claimed(world, theirs, { by: 'another', until: LATER })
  await core.store.write((db) => insertTimer(db, timerFor(ours)))
  core.alarm(1)
  await expires(world, ours)
  expect(await stateOf(world, theirs)).toBe('queued')

  await core.store.write((db) => db.updateTable('timers').set({ claimed_until: 1 }).execute())
  await expires(world, theirs)
})

test('a process whose claim was taken over does nothing of what the timer is for', async () => {
  const world = await createWorld({ store: 'postgres' })
  const mail = await unreadMail(world)
  const stale = await claimed(world, mail, { by: 'paused', until: LATER })
  await world.server.core.store.write((db) => db.updateTable('timers').set({ claimed_by: 'another' }).execute())
  await ring(world.server.core, stale)
  expect(await stateOf(world, mail)).toBe('queued')
  await ring(world.server.core, { ...stale, claimed_by: 'another' })
  expect(await stateOf(world, mail)).toBe('expired')
})

const claimBy = (by: string, more: Partial<Parameters<typeof claimTimers>[1]> = {}) => ({
  by,
  due: Date.now(),
  now: 100,
  until: 200,
  limit: 100,
  ...more,
})

const idsOf = (timers: readonly TimerRow[]): string[] => timers.map(({ id }) => id)

/** Two connections of their own to one database, with so many timers that are due. */
async function twoStores(count: number): Promise<{ first: Store; second: Store; left: string[] }> {
  const url = await createDatabase()
  const [first, second] = [await openPostgres({ url, now: Date.now }), await openPostgres({ url, now: Date.now })]
  onTestFinished(async () => void (await Promise.all([first.close(), second.close()])))
  const project = { id: 'p', path: '/' }
  const session = newSession(project, { agent: 'a' }, 1, { workspace: '/', wakeBudget: 1, host: null, moves: 0 })
  const left = Array.from({ length: count }, (_, at) => `timer-${at}`)
  await first.write(async (db) => {
    await insertSession(db, session)
    for (const [at, id] of left.entries())
      await insertTimer(db, { id, due_at: at + 1, kind: 'mail', ref: id, session_id: session.id, payload: '{}' })
  })
  return { first, second, left }
}

interface Held {
  readonly mailId: string
  readonly sessionId: string
}

/** Mail that nobody reads: its session is paused. */
async function unreadMail(world: World): Promise<Held> {
  const { id } = await world.session()
  await world.ok('POST', `/api/sessions/${id}/pause`)
  await world.reaches(id, 'paused')
  const { mailId } = await world.send(id, 'For nobody')
  return { mailId, sessionId: id }
}

const timerFor = ({ mailId, sessionId }: Held) => ({
  id: mailId,
  due_at: 1,
  kind: 'mail',
  ref: mailId,
  session_id: sessionId,
  payload: '{}',
})

async function claimed(world: World, mail: Held, { by, until }: { by: string; until: number }): Promise<TimerRow> {
  const [timer] = await world.server.core.store.write(async (db) => {
    await insertTimer(db, timerFor(mail))
    return claimTimers(db, claimBy(by, { now: 1, until }))
  })
  return timer!
}

const stateOf = async (world: World, { mailId }: Held) =>
  (await world.ok<{ state: string }>('GET', `/api/mail/${mailId}`)).state

const expires = (world: World, mail: Held) => world.eventually(async () => (await stateOf(world, mail)) === 'expired')
