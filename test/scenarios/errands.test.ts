import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ring } from '../../src/core/timers/ring.ts'
import { payloadOf } from '../../src/store/timers.ts'
import { type StoreKind, stores } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

const TRIES = 20
const AGAIN_MS = 5000

/** From now on the database refuses to write that a mail expired. */
const broken: Record<StoreKind, readonly string[]> = {
  sqlite: [
    `create trigger broken before update on mail when new.state = 'expired' begin select raise(abort, 'broken'); end`,
  ],
  postgres: [
    `create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    `create trigger broken before update on mail for each row when (new.state = 'expired') execute function broken()`,
  ],
}

describe.each(stores)('on %s', (store) => {
  test('what a timer cannot do is tried again later, twenty times; then the person is told', async () => {
    const now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const { core } = world.server
    const session = await world.session()
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const { mailId } = await world.send(session.id, 'Only now', { ttl: 3600 })
    for (const statement of broken[store]) await core.store.write((db) => sql.raw(statement).execute(db))
    const timer = () => core.store.read.selectFrom('timers').selectAll().executeTakeFirst()
    for (let tries = 1; tries < TRIES; tries++) {
      await ring(core, (await timer())!)
      const left = (await timer())!
      expect([left.id, left.due_at, payloadOf(left)]).toEqual([mailId, now + AGAIN_MS, { tries }])
      expect(await world.inbox()).toEqual([])
    }
    await ring(core, (await timer())!)
    expect(await timer()).toBeUndefined()
    expect(await world.inbox()).toMatchObject([{ body: expect.stringContaining(`mail ${mailId} was tried 20 times`) }])
  })
})
