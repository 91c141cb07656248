import { describe, expect, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import type { Why } from '../../src/contract/why.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard, mails, sessionOf } from '../kit/records.ts'
import { fires, firesOf, HOUR, MINUTE, pass, passAndSettle, say, trigger } from '../kit/triggers.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('a trigger on %s', (store) => {
  const start = async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: cast('ann', 'ben') })
    return { world, clock }
  }

  test('that is due wakes whom it names, once, and says what it did', async () => {
    const { world, clock } = await start()
    const made = await trigger(world, {
      type: 'delayed',
      config: { delaySeconds: 60 },
      action: say('ann', 'Look around'),
    })
    expect(made).toMatchObject({ type: 'at_time', status: 'active', fires: 0, madeBy: 'human' })
    pass(world, clock, 59_000)
    expect(await fires(world, made.id)).toEqual([])
    await passAndSettle(world, clock, 1000)
    const [fire, ...others] = await firesOf(world, made.id, 1)
    expect(others).toEqual([])
    expect(fire).toMatchObject({ outcome: 'fired', covers: 1, dueAt: made.nextAt, result: { outcome: 'started' } })
    await atRest(world)
    const ann = await sessionOf(world, 'ann')
    expect(await heard(world, ann)).toEqual(['Look around'])
    expect(fire!.sessionId).toBe(ann.id)
    expect(await world.ok<Trigger>('GET', `/api/triggers/${made.id}`)).toMatchObject({ status: 'fired', fires: 1 })
    const seen = world.vendor.requests.at(-1)
    expect(JSON.stringify(seen)).toContain('[message from trigger]')
  })

  test('with a schedule comes at each of its times, and is moved, paused, resumed and deleted', async () => {
    const { world, clock } = await start()
    clock.at = Date.parse('2026-11-17T08:30:30Z')
    const hourly = { type: 'scheduled', config: { cron: '0 * * * *' } }
    const made = await trigger(world, { ...hourly, action: say('ann', 'Hourly'), name: 'watch' })
    expect(made.nextAt).toBe('2026-11-17T09:00:00.000Z')
    await passAndSettle(world, clock, 30 * MINUTE)
    await passAndSettle(world, clock, HOUR)
    expect((await firesOf(world, made.id, 2)).map(({ dueAt, outcome }) => [dueAt, outcome])).toEqual([
      ['2026-11-17T09:00:00.000Z', 'fired'],
      ['2026-11-17T10:00:00.000Z', 'fired'],
    ])
    const moved = await world.ok<Trigger>('PATCH', `/api/triggers/${made.id}`, {
      when: { type: 'scheduled', config: { cron: '15 * * * *' } },
    })
    expect(moved.nextAt).toBe('2026-11-17T10:15:00.000Z')
    const paused = await world.ok<Trigger>('PATCH', `/api/triggers/${made.id}`, { status: 'paused' })
    expect([paused.status, paused.nextAt]).toEqual(['paused', undefined])
    await passAndSettle(world, clock, 5 * HOUR)
    const resumed = await world.ok<Trigger>('PATCH', `/api/triggers/${made.id}`, { status: 'active' })
    expect(resumed.nextAt).toBe('2026-11-17T15:15:00.000Z')
    expect(await fires(world, made.id)).toHaveLength(2)
    await world.ok('DELETE', `/api/triggers/${made.id}`)
    expect((await world.request('GET', `/api/triggers/${made.id}`)).status).toBe(404)
    await passAndSettle(world, clock, 5 * HOUR)
    expect((await mails(world)).length).toBe(2)
  })

  test('that was missed while nothing ran is made up for as its policy says', async () => {
    const { world, clock } = await start()
    clock.at = Date.parse('2026-11-17T08:59:00Z')
    const hourly = { type: 'scheduled', config: { cron: '0 * * * *' } }
    const one = await trigger(world, { ...hourly, action: say('ann', 'one') })
    const none = await trigger(world, { ...hourly, action: say('ann', 'none'), catchUp: 'none' })
    const all = await trigger(world, { ...hourly, action: say('ann', 'all'), catchUp: 'all' })
    const inOneHour = { type: 'at_time', config: { at: '2026-11-17T10:00:00Z' } }
    const single = await trigger(world, { ...inOneHour, action: say('ann', 'once'), catchUp: 'none' })
    await passAndSettle(world, clock, 4.5 * HOUR)
    const outcomes = async ({ id }: Trigger): Promise<string[]> =>
      (await fires(world, id)).map(({ outcome }) => outcome)
    expect(await outcomes(one)).toEqual([...Array(4).fill('coalesced'), 'caught_up'])
    expect(await outcomes(none)).toEqual(Array(5).fill('missed'))
    expect(await outcomes(all)).toEqual(Array(5).fill('caught_up'))
    expect(await outcomes(single)).toEqual(['caught_up'])
    const sent = (await mails(world)).map(({ content }) => content).toSorted()
    expect(sent).toEqual([...Array(5).fill('all'), 'once', 'one'])
    expect((await world.inbox()).map(({ title }) => title)).toEqual(['Trigger none was missed 5 times'])
    const types = (await world.events()).filter(({ type }) => type.startsWith('trigger.')).map(({ type }) => type)
    expect(new Set(types)).toEqual(
      new Set(['trigger.created', 'trigger.fired', 'trigger.skipped', 'trigger.missed', 'trigger.changed']),
    )
  })

  test('does not fire twice when the clock goes back, nor often when it leaps', async () => {
    const { world, clock } = await start()
    clock.at = Date.parse('2026-11-17T08:59:00Z')
    const made = await trigger(world, {
      type: 'scheduled',
      config: { cron: '*/10 * * * *' },
      action: say('ann', 'Ten minutes'),
    })
    await passAndSettle(world, clock, MINUTE)
    await passAndSettle(world, clock, -HOUR)
    for (let step = 0; step < 6; step += 1) await passAndSettle(world, clock, 10 * MINUTE)
    expect(await fires(world, made.id)).toHaveLength(1)
    await passAndSettle(world, clock, HOUR)
    const outcomes = (await fires(world, made.id)).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['fired', ...Array(5).fill('coalesced'), 'fired'])
    expect(await mails(world)).toHaveLength(2)
    expect(await world.ok<Trigger>('GET', `/api/triggers/${made.id}`)).toMatchObject({ fires: 2 })
  })

  test('expires after as many fires as it may have, and may be fired by hand at any time', async () => {
    const { world, clock } = await start()
    const beat = { type: 'heartbeat', config: { intervalSeconds: 60, onlyIf: [] } }
    const made = await trigger(world, { ...beat, action: say('ann', 'Beat'), maxFires: 2 })
    for (let step = 0; step < 4; step += 1) await passAndSettle(world, clock, MINUTE)
    expect(await world.ok<Trigger>('GET', `/api/triggers/${made.id}`)).toMatchObject({ status: 'expired', fires: 2 })
    const twice = await Promise.all(
      [1, 2].map(() => world.ok('POST', `/api/triggers/${made.id}/fire`, { clientId: 'again' })),
    )
    expect(twice[0]!.id).toBe(twice[1]!.id)
    expect(await fires(world, made.id)).toHaveLength(3)
    await atRest(world)
    expect(await mails(world)).toHaveLength(3)
  })

  test('that cannot act says why, and tells the person once', async () => {
    const { world, clock } = await start()
    const ben = await world.session({ agent: 'ben' })
    const beat = { type: 'heartbeat', config: { intervalSeconds: 60, onlyIf: [] } }
    const made = await trigger(world, { ...beat, action: say(ben.id, 'Beat'), name: 'beat' })
    await world.ok('DELETE', `/api/sessions/${ben.id}`)
    for (let step = 0; step < 3; step += 1) await passAndSettle(world, clock, MINUTE)
    const found = await firesOf(world, made.id, 3)
    expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']))
    expect(found[0]!.reason).toContain('was deleted')
    expect((await world.inbox()).map(({ title }) => title)).toEqual(['Trigger beat could not act'])
    const why = await world.ok<Why>('GET', `/api/why/${made.id}`)
    expect(why).toMatchObject({ state: 'active', wakes: { by: 'time' } })
    expect(why.text).toContain('was deleted')
  })

  test('is made once by the same request, and refused when it could not be', async () => {
    const { world } = await start()
    const body = { type: 'delayed', config: { delaySeconds: 60 }, action: say('ann', 'Hi'), clientId: 'mine' }
    const [one, two] = await Promise.all([trigger(world, body), trigger(world, body)])
    expect(one.id).toBe(two.id)
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ type: 'scheduled', config: { cron: 'x' } }, /config\.cron: "x" is not a schedule/],
      [{ type: 'scheduled', config: { cron: '0 0 31 2 *' } }, /never comes/],
      [{ type: 'scheduled', config: { cron: '* * * * *', timeZone: 'Mars/Olympus' } }, /is not a time zone/],
      [{ type: 'at_time', config: { at: '2026-12-24T18:00' } }, /a time with its zone/],
      [{ type: 'on_event', config: { pattern: 'nothing.*' } }, /matches no type of event/],
      [{ type: 'on_event', config: { pattern: 'trigger.*' } }, /matches no type of event/],
      [{ type: 'delayed', config: { delaySeconds: -1 } }, /config\.delaySeconds/],
    ]
    for (const [when, message] of wrong) {
      const { status, body: answer } = await world.request<{ error: { message: string } }>('POST', '/api/triggers', {
        ...when,
        action: say('ann', 'Hi'),
      })
      expect([status, answer.error.message]).toEqual([400, expect.stringMatching(message)])
    }
    const later = { type: 'delayed', config: { delaySeconds: 60 } }
    for (const [action, message] of [
      [say('nobody', 'Hi'), /Nobody here is called "nobody"/],
      [{ type: 'send', message: 'Hi' }, /action\.to: say who/],
      [{ type: 'run_skill', agent: 'ann', skill: 'x' }, /ann has no skill "x"/],
      [{ type: 'run_node', run: 'run_gone', task: 'Dig' }, /no run "run_gone"/],
      [{ type: 'webhook', url: 'ftp://example.com' }, /http or https/],
    ] as const) {
      const { body: answer } = await world.request<{ error: { message: string } }>('POST', '/api/triggers', {
        ...later,
        action,
      })
      expect(answer.error.message).toMatch(message)
    }
  })
})
