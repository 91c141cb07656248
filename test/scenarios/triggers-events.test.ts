import { describe, expect, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { stores } from '../kit/database.ts'
import { atRest, heard, mails, note, sessionOf, tasks } from '../kit/records.ts'
import { playedBy } from '../kit/script.ts'
import { fires, firesOf, HOUR, MINUTE, passAndSettle, say, trigger } from '../kit/triggers.ts'
import { createWorld } from '../kit/world.ts'

describe.each(stores)('a trigger that waits for something, on %s', (store) => {
  const start = async (more = {}) => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: cast('ann', 'ben'), ...more })
    return { world, clock }
  }

  test('hears each event once, by its type and by what is in it, also what came while nothing ran', async () => {
    const { world } = await start()
    const made = await trigger(world, {
      type: 'on_event',
      config: { pattern: 'log', filter: { message: 'note 3' } },
      action: say('ann', 'A note came'),
    })
    await note(world, 5)
    const [fire] = await firesOf(world, made.id, 1)
    expect(fire).toMatchObject({ outcome: 'fired', eventSeq: expect.any(String) })
    await atRest(world)
    const told = await heard(world, await sessionOf(world, 'ann'))
    expect(told).toEqual([expect.stringMatching(/^A note came\n\n> Event log at .*"message":"note 3"/)])

    await note(world, 2, 3)
    // The position is in the row, so a start goes on where the last one was.
    await world.restart()
    await firesOf(world, made.id, 2)
    await note(world, 1, 3)
    expect(await firesOf(world, made.id, 3)).toHaveLength(3)
    expect(new Set((await fires(world, made.id)).map(({ eventSeq }) => eventSeq)).size).toBe(3)
  })

  test('hears many at once in pages, each once and in order', async () => {
    const { world } = await start()
    // All that comes while ann thinks waits in her mail.
    world.vendor.queue({ model: 'ann' }, { delay: new Promise(() => {}) })
    const made = await trigger(world, {
      type: 'on_event',
      config: { pattern: 'log', filter: { metadata: { text: 'heard' } } },
      action: say('ann', 'One', { followup: true }),
    })
    // The page ends among those that are heard.
    await note(world, 95)
    await note(world, 10, 95, 'heard')
    const found = await firesOf(world, made.id, 10)
    expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(['fired']))
    const sent = (await mails(world)).toSorted((a, b) => a.position - b.position)
    expect(sent.map(({ content }) => /note (\d+)/.exec(content)?.[1])).toEqual([
      '95',
      '96',
      '97',
      '98',
      '99',
      '100',
      '101',
      '102',
      '103',
      '104',
    ])
  })

  test('cannot feed itself for ever: what it sets off is bounded like any chain, and the person is told', async () => {
    const { world } = await start({ settings: { loop: { maxHops: 5 } } })
    const hears = (to: string) => ({ type: 'on_event', config: { pattern: 'turn.ended' }, action: say(to, 'Go') })
    const made = await trigger(world, hears('ann'))
    const other = await trigger(world, hears('ben'))
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Begin')
    const notice = await world.eventually(async () => (await world.inbox()).find(({ title }) => /stopped/.test(title)))
    expect(notice.title).toContain('5 hops without a person')
    await atRest(world)
    const requests = world.vendor.requests.length
    expect(requests).toBeLessThan(80)
    expect((await fires(world, made.id)).length + (await fires(world, other.id)).length).toBeLessThan(160)
    expect((await mails(world)).some(({ state }) => state === 'suppressed')).toBe(true)
  })

  test('acts once when an agent was idle, and again only after that agent was active', async () => {
    const { world, clock } = await start()
    const ann = await world.session({ agent: 'ann' })
    const made = await trigger(world, {
      type: 'on_idle',
      config: { agent: 'ann', idleSeconds: 600 },
      action: say('ann', 'Still there?'),
    })
    await passAndSettle(world, clock, 5 * MINUTE)
    await world.say(ann.id, 'Work')
    await passAndSettle(world, clock, 6 * MINUTE)
    expect(await fires(world, made.id)).toEqual([])
    await passAndSettle(world, clock, 5 * MINUTE)
    await firesOf(world, made.id, 1)
    await atRest(world)
    for (let step = 0; step < 10; step += 1) await passAndSettle(world, clock, 20 * MINUTE)
    // Its own message set the agent to work, and that does not count.
    expect(await fires(world, made.id)).toHaveLength(1)
    await world.say(ann.id, 'More work')
    for (let step = 0; step < 3; step += 1) await passAndSettle(world, clock, 20 * MINUTE)
    expect(await fires(world, made.id)).toHaveLength(2)
  })

  test('asks no model while nothing is new, and acts on new mail, events and files', async () => {
    const { world, clock } = await start()
    const beat = { type: 'heartbeat', config: { intervalSeconds: 600 } }
    const made = await trigger(world, { ...beat, action: say('ann', 'Anything?') })
    for (let step = 0; step < 3; step += 1) await passAndSettle(world, clock, 10 * MINUTE)
    expect((await fires(world, made.id)).map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array(3).fill(['skipped', 'Nothing is new.']),
    )
    expect(world.vendor.requests).toEqual([])
    const ben = await world.session({ agent: 'ben' })
    await world.say(ben.id, 'Something happens')
    await passAndSettle(world, clock, 10 * MINUTE)
    await atRest(world)
    expect((await fires(world, made.id)).at(-1)!.outcome).toBe('fired')
    // What the heartbeat itself set off is no news.
    for (let step = 0; step < 3; step += 1) await passAndSettle(world, clock, 10 * MINUTE)
    expect(world.vendor.requests.filter((one) => playedBy(one) === 'ann')).toHaveLength(1)
    expect((await fires(world, made.id)).map(({ outcome }) => outcome).slice(-3)).toEqual(Array(3).fill('skipped'))
  })

  test('that a chat answers with HEARTBEAT_OK alone leaves it as read as it was, with the last words it had', async () => {
    const { world, clock } = await start()
    const ann = await world.session({ agent: 'ann' })
    world.vendor.queue(
      { model: 'ann' },
      ...['Hello.', 'HEARTBEAT_OK', 'Two plants are dry.', '**HEARTBEAT_OK**'].map((text) => ({ text })),
    )
    await world.say(ann.id, 'Hi')
    const unread = async () => {
      const { messageCount, readSeq } = await world.look(ann.id)
      return messageCount - readSeq
    }
    await world.ok('POST', `/api/sessions/${ann.id}/read`, { seq: 2 })
    const beat = { type: 'heartbeat', config: { intervalSeconds: 600, onlyIf: [] } }
    await trigger(world, { ...beat, action: say('ann', 'Anything?', { session: 'latest' }) })
    const found: number[] = []
    const words: string[] = []
    for (let step = 0; step < 3; step += 1) {
      await passAndSettle(world, clock, 10 * MINUTE)
      await atRest(world)
      found.push(await unread())
      words.push((await world.look(ann.id)).lastSnippet)
    }
    // What was unread before stays unread.
    expect(found).toEqual([0, 2, 4])
    expect(words).toEqual(['Hello.', 'Two plants are dry.', 'Two plants are dry.'])
    const told = (await world.events(ann.id)).filter(
      ({ type, data }) => type === 'session.updated' && 'readSeq' in (data.changed as object),
    )
    expect(told.map(({ data }) => data.changed)).toEqual([{ readSeq: 2 }, { readSeq: 4, lastSnippet: 'Hello.' }])
  })

  test('gives a task to an agent, once for each time, and says which', async () => {
    const { world, clock } = await start()
    const made = await trigger(world, {
      type: 'scheduled',
      config: { cron: '0 * * * *' },
      action: { type: 'create_task', agent: 'ann', input: { prompt: 'Count the files' }, tags: ['nightly'] },
    })
    await passAndSettle(world, clock, Date.parse(made.nextAt!) - clock.now())
    // A task that still worked would be out of time an hour later.
    await atRest(world)
    await passAndSettle(world, clock, HOUR)
    await atRest(world)
    const found = await firesOf(world, made.id, 2)
    const made2 = await tasks(world)
    expect(found.map(({ result }) => result?.taskId)).toEqual(made2.map(({ id }) => id))
    expect(made2.map(({ status, instruction }) => [status, instruction])).toEqual(
      Array(2).fill(['finished', 'Count the files']),
    )
    expect(await world.ok<Trigger>('GET', `/api/triggers/${made.id}`)).toMatchObject({ fires: 2, lastOutcome: 'fired' })
  })
})
