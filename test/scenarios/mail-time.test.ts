import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('mail with a time limit on %s', (store) => {
  test('that was read in time leaves nothing to do; one that nobody will read any more does not expire as well', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const timers = () => world.server.core.store.read.selectFrom('timers').select('ref').execute()
    const session = await world.session()
    await world.say(session.id, 'Read at once', { ttl: 60 })
    expect(await timers()).toEqual([])
    await world.ok('POST', `/api/sessions/${session.id}/pause`)
    const { mailId } = await world.send(session.id, 'Too late', { ttl: 60 })
    await world.ok('DELETE', `/api/sessions/${session.id}`)
    now += 61_000
    world.server.core.alarm(0)
    await world.eventually(async () => (await timers()).length === 0)
    expect(await world.ok('GET', `/api/mail/${mailId}`)).toMatchObject({ state: 'undeliverable' })
    expect((await world.events()).filter(({ type }) => type === 'mail.expired')).toEqual([])
  })
})

test('the list of what waits says how each was meant', async () => {
  const world = await createWorld()
  const session = await world.session()
  await world.ok('POST', `/api/sessions/${session.id}/pause`)
  await world.send(session.id, 'At once', { interrupt: true })
  await world.send(session.id, 'Afterwards', { followup: true })
  await world.send(session.id, 'Any time')
  const { items } = await world.ok<{ items: unknown[] }>('GET', `/api/mail?session=${session.id}`)
  expect(items).toMatchObject([
    { content: 'At once', interrupt: true, followup: false },
    { content: 'Afterwards', interrupt: false, followup: true },
    { content: 'Any time', interrupt: false, followup: false },
  ])
})
