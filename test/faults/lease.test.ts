import { basename, dirname } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deliver } from '../../src/core/mail/deliver.ts'
import { findSession, lockSession } from '../../src/store/sessions.ts'
import { type StoreKind, stores } from '../kit/database.ts'
import { processesWith } from '../kit/processes.ts'
import type { World } from '../kit/world.ts'
import { busyWorld, secondEngine, takeOver } from './runners.ts'

const HOST = 'second'

describe.each(stores)('on %s', (store) => {
  test('a runner whose lease was lost ends its request and its command, and writes nothing more', async () => {
    const { world, engine, ids, ended } = await twoTurns(store)
    const taken = await Promise.all(ids.map(async (id) => [await takeOver(world, id), await logOf(world, id)] as const))
    await ended()
    await world.eventually(async () => engine.running === 0)
    for (const [{ row }, log] of taken) {
      expect(await findSession(world.server.core.store.read, row.id)).toEqual(row)
      expect(await logOf(world, row.id)).toEqual(log)
    }
  })

  test('a lease whose renewal is refused ends what runs before another could take over; then it goes on', async () => {
    const { world, ids, ended } = await twoTurns(store)
    await run(world, refuseRenewals[store])
    const until = await leasedUntil(world, ids)
    await ended()
    expect(await world.server.core.store.now(world.server.core.store.read)).toBeLessThan(until)
    await run(world, allowRenewals[store])
    await goesOn(world, ids)
  })

  test('a lease whose renewal hangs ends what runs before another could take over; then it goes on', async () => {
    const { world, ids, ended } = await twoTurns(store)
    const gate = Promise.withResolvers<void>()
    const holding = Promise.withResolvers<void>()
    const held = world.server.core.store.write(async (db) => {
      if (store === 'postgres') {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(db)
        // Without a transaction id of its own, so that no other test's events wait for it.
        await sql`lock table sessions in share row exclusive mode`.execute(db)
      } else for (const id of ids) await lockSession(db, id)
      holding.resolve()
      await gate.promise
    })
    await holding.promise
    await ended()
    gate.resolve()
    await held
    await goesOn(world, ids)
  })
})

/** A runner beside the server, with a request to the model that does not end and a command that does not end. */
async function twoTurns(store: StoreKind) {
  const gone = Promise.withResolvers<void>()
  let over = false
  let mark = ''
  const world = await busyWorld({ store, settings: { permissions: { allow: ['bash'] } } }, ({ lastUserText }) => {
    if (over) return { text: 'Done.' }
    if (lastUserText.includes('Tell')) return { text: 'Once upon a time', hang: true, gone: gone.resolve }
    return { calls: [{ name: 'bash', input: { command: `sleep 600; echo ${mark}` } }] }
  })
  mark = basename(dirname(world.project))
  const { core, engine } = await secondEngine(world, HOST)
  onTestFinished(() => engine.stop())
  const streamed = world.streams('Once upon a')
  const ids = [(await world.session()).id, (await world.session({ agent: 'coder' })).id]
  await deliver(core, { to: ids[0]!, from: { kind: 'human' }, content: 'Tell a story' })
  await deliver(core, { to: ids[1]!, from: { kind: 'human' }, content: 'Run it' })
  await streamed
  await world.eventually(async () => processesWith(mark).length > 0)
  const ended = async (): Promise<void> => {
    over = true
    await gone.promise
    await world.eventually(async () => processesWith(mark).length === 0)
  }
  return { world, engine, ids, ended }
}

/** From when on another may take over the first of them. */
const leasedUntil = async ({ server }: World, ids: readonly string[]): Promise<number> =>
  Math.min(...(await Promise.all(ids.map(async (id) => (await findSession(server.core.store.read, id))!.lease_until!))))

/** What was cut off is asked for again, or said to be unknown; never done twice. */
async function goesOn(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) await world.reaches(id, 'idle')
  const [told, ran] = await Promise.all(ids.map((id) => world.messages(id)))
  expect(told!.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(ran!.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(JSON.stringify(ran![2]!.parts)).toContain('outcome unknown')
}

const logOf = async (world: World, id: string) => [await world.messages(id), await world.events(id)]

const refuseRenewals: Record<StoreKind, readonly string[]> = {
  sqlite: [
    `create trigger unrenewed before update on sessions
      when new.lease_owner = '${HOST}' and old.lease_owner = '${HOST}' and new.lease_until > old.lease_until
      begin select raise(abort, 'not renewed'); end`,
  ],
  postgres: [
    `create function unrenewed() returns trigger language plpgsql as $$ begin raise exception 'not renewed'; end $$`,
    `create trigger unrenewed before update on sessions for each row
      when (new.lease_owner = '${HOST}' and old.lease_owner = '${HOST}' and new.lease_until > old.lease_until)
      execute function unrenewed()`,
  ],
}
const allowRenewals: Record<StoreKind, readonly string[]> = {
  sqlite: ['drop trigger unrenewed'],
  postgres: ['drop trigger unrenewed on sessions'],
}

async function run(world: World, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await world.server.core.store.write((db) => sql.raw(statement).execute(db))
}
