import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type StoreKind, stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const RUNS = 5
const ENDS = 3

describe.each(stores)('on %s', (store) => {
  test('a turn whose end cannot be written is set aside in the end, and a message tries it again', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'Here I am.' }))
    const session = await world.session()
    await run(world, ...stuck[store])
    const mail = await world.send(session.id, 'Hello')
    for (let broken = 1; broken <= RUNS + ENDS; broken += 1) {
      await world.eventually(async () => linesWith(world, 'a turn could not be run') === broken)
      // Every start claims what is wanted, without waiting for a lease to run out.
      await world.restart()
    }
    const set = await world.reaches(session.id, 'error')
    expect(set.reason).toContain('Send a message to try again')
    expect(await world.settled(mail.mailId)).toMatchObject({ state: 'taken', ended: true, end: 'error' })
    await world.restart()
    expect(await world.look(session.id)).toMatchObject({ status: 'error', reason: set.reason })
    expect(linesWith(world, 'a session was set aside')).toBe(1)
    const told = (await world.events(session.id)).filter(({ type }) => type === 'session.status')
    expect(told.at(-1)?.data).toEqual({ from: 'running', to: 'error', reason: set.reason })
    expect(world.vendor.requests.length).toBe(RUNS)

    await run(world, ...free[store])
    expect(await world.say(session.id, 'Are you well?')).toMatchObject({ end: 'done', reply: 'Here I am.' })
    expect((await world.messages(session.id)).map(({ role }) => role)).toEqual(['user', 'user', 'assistant'])
  })
})

/** From now on the database refuses to write the end of a turn. */
const stuck: Record<StoreKind, readonly string[]> = {
  sqlite: [
    `create trigger stuck before update on turns when new.ended_at is not null begin select raise(abort, 'stuck'); end`,
  ],
  postgres: [
    `create function stuck() returns trigger language plpgsql as $$ begin raise exception 'stuck'; end $$`,
    'create trigger stuck before update on turns for each row when (new.ended_at is not null) execute function stuck()',
  ],
}
const free: Record<StoreKind, readonly string[]> = {
  sqlite: ['drop trigger stuck'],
  postgres: ['drop trigger stuck on turns'],
}

async function run(world: World, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await world.server.core.store.write((db) => sql.raw(statement).execute(db))
}

const linesWith = (world: World, words: string): number =>
  readFileSync(join(world.home, 'logs', 'troupe.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(words)).length
