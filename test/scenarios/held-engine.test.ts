import { createHook } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Core } from '../../src/core/base/core.ts'
import { createAlarm } from '../../src/engines/alarm.ts'
import { insertTimer, nextTimer } from '../../src/store/timers.ts'
import { stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const HOUR_MS = 3_600_000

/** As if this server had been killed while it ran the session. */
const holdLease = (world: World, id: string) =>
  world.server.core.store.write((db) =>
    db
      .updateTable('sessions')
      .set({ lease_owner: world.server.core.host, lease_until: Date.now() + HOUR_MS })
      .where('id', '=', id)
      .execute(),
  )

/** An alarm of its own, an hour ahead: what is due for it is not yet due for the world's. */
function ahead(world: World) {
  const { clock } = world.server.core
  const core: Core = Object.create(world.server.core, { clock: { value: { now: () => clock.now() + HOUR_MS } } })
  const alarm = createAlarm(core)
  onTestFinished(() => alarm.stop())
  return { core, alarm }
}

/** Where the engine has set the timers that are still to come. */
function watchTimers(): ReadonlyMap<number, string> {
  const set = new Map<number, string>()
  const hook = createHook({
    init(id, type) {
      const callers = type === 'Timeout' ? (new Error().stack ?? '').split('\n').slice(2) : []
      const setter = callers.find((line) => !line.includes('node:')) ?? ''
      if (setter.includes('/src/engines/')) set.set(id, setter)
    },
    destroy: (id) => void set.delete(id),
  }).enable()
  onTestFinished(() => void hook.disable())
  return set
}

const timerOf = (id: string, due: number, session: string) => ({
  id,
  due_at: due,
  kind: 'nothing',
  ref: id,
  session_id: session,
  payload: '{}',
})

describe.each(stores)('the engine on %s', (store) => {
  test('a session that was being run when the server was killed is run at its next start, whatever its lease says', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ({ text: 'Here I am.' }))
    const session = await world.session()
    await holdLease(world, session.id)
    const mail = await world.send(session.id, 'Hello')
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Here I am.' })
  })

  test('timers that are due are served, also those beyond one batch and those that come while others are served', async () => {
    const world = await createWorld({ store })
    const { core, alarm } = ahead(world)
    const { id } = await world.session()
    const due = core.clock.now() - 1000
    await core.store.write(async (db) => {
      for (let n = 0; n < 250; n++) await insertTimer(db, timerOf(`t${n}`, due + n, id))
    })
    await Promise.all([alarm.look(), alarm.look()])
    expect(await nextTimer(core.store.read)).toBeUndefined()
    await core.store.write((db) => insertTimer(db, timerOf('later', due, id)))
    await alarm.look()
    expect(await nextTimer(core.store.read)).toBeUndefined()
    alarm.stop()
    await core.store.write((db) => insertTimer(db, timerOf('after', due, id)))
    await alarm.look()
    expect(await nextTimer(core.store.read)).toBe(due)
  })

  test('a timer for a moment to come is served at that moment, though others are set for later', async () => {
    const world = await createWorld({ store })
    const { core, alarm } = ahead(world)
    const { id } = await world.session()
    const now = core.clock.now()
    await core.store.write((db) => insertTimer(db, timerOf('soon', now + 50, id)))
    alarm.at(now + HOUR_MS)
    alarm.at(now + 50)
    // Neither a later nor an equal one puts it off.
    alarm.at(now + HOUR_MS)
    await world.eventually(async () => (await nextTimer(core.store.read)) === undefined)
    alarm.stop()
  })

  test('where one of two turns ends, one of those that wait begins, and not more', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTurns: 2 } } })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ lastUserText }) =>
      lastUserText.includes('Be quick') ? { text: 'Done.', delay: gate.promise } : { text: 'On and on', hang: true },
    )
    const asked = (count: number) => world.eventually(async () => world.vendor.requests.length === count)
    for (const text of ['Talk', 'Be quick']) await world.send((await world.session()).id, text)
    await asked(2)
    for (const text of ['Talk too', 'And so on']) await world.send((await world.session()).id, text)
    gate.resolve()
    await asked(3)
    expect(await world.ok('GET', '/api/status')).toMatchObject({ engine: { running: 2 } })
  })

  test('leases are renewed only while something runs, and once the server has stopped no timer of the engine is left', async () => {
    const timers = watchTimers()
    const world = await createWorld({ store })
    world.vendor.reply({ text: 'Done.' }, { text: 'On and on', hang: true })
    const { id } = await world.session()
    expect(timers.size).toBe(1)
    await world.say(id, 'Be quick')
    await world.eventually(async () => timers.size === 1)
    const heard = world.streams('On and')
    await world.send(id, 'Talk')
    await heard
    await world.server.stop()
    await setImmediate()
    expect([...timers.values()]).toEqual([])
  })
})
