import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { onSession } from '../../src/core/base/index.ts'
import { askPrice } from '../../src/core/budgets/index.ts'
import { answer, budgets, changeSettings, costing, miser, priced, why } from '../kit/budgets.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { stores } from '../kit/database.ts'
import { atRest, mails } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const ended = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'turn.ended').map(({ data }) => data)

describe.each(stores)('a budget on %s', (store) => {
  test('that is too small is one question, however many run into it; raised, all go on', async () => {
    const world = await miser(store)
    world.vendor.script(() => costing(0.3))
    const first = await world.session({ agent: 'miser' })
    for (const word of ['One', 'Two', 'Three']) await world.say(first.id, word)
    const waiting = await Promise.all([1, 2, 3].map(() => world.session({ agent: 'miser' })))
    // 0.1 is left: enough for a short answer.
    expect(await world.say(first.id, 'Four')).toMatchObject({ end: 'done' })
    expect(world.vendor.requests.at(-1)?.maxTokens).toBeLessThan(10_000)
    const sent = await Promise.all(waiting.map(({ id }) => world.send(id, 'Work')))
    for (const { id } of waiting) await world.reaches(id, 'waiting')
    const replies = await Promise.all(sent.map(({ mailId }) => world.settled(mailId)))
    const [item, ...others] = await world.inbox()
    expect(others).toEqual([])
    expect(item).toMatchObject({ kind: 'notice', options: ['raise to 2', 'stop'] })
    expect(item?.title).toContain('1.00 USD a day for the agent miser')
    const exceeded = (await world.events()).filter(({ type }) => type === 'budget.exceeded')
    expect(exceeded).toMatchObject(sent.map(() => ({ data: { inboxId: item?.id } })))
    expect(replies).toMatchObject(sent.map(() => ({ ended: false, waits: [{ kind: 'budget', inboxId: item?.id }] })))
    expect(await why(world, waiting[0]!.id)).toContain(`troupe inbox answer ${item?.id} "raise to …"`)
    expect(await why(world, item!.id)).toContain('what does not fit into the budget waits')
    expect((await world.request('POST', `/api/inbox/${item?.id}/dismiss`)).body).toMatchObject({
      error: { code: 'inbox.bad_answer', hint: expect.stringContaining('stop') },
    })
    for (const [words, said] of [
      ['as you like', 'neither an amount'],
      ['raise to 0.5', 'is 1 USD already'],
    ] as const)
      expect((await answer(world, item!, words)).body).toMatchObject({
        error: { code: 'inbox.bad_answer', message: expect.stringContaining(said) },
      })

    expect((await answer(world, item!, 'raise to 3')).status).toBe(200)
    for (const { mailId } of sent) expect(await world.settled(mailId)).toMatchObject({ end: 'done' })
    expect(await world.inbox()).toEqual([])
    expect((await answer(world, item!, 'raise to 4')).body).toMatchObject({ error: { code: 'inbox.answered' } })
  })

  test('that a person stops ends what does not fit, and nobody is asked again', async () => {
    const world = await miser(store)
    world.vendor.script(() => costing(0.998))
    const sessions = await Promise.all([1, 2].map(() => world.session({ agent: 'miser' })))
    const [one, two] = sessions.map(({ id }) => id) as [string, string]
    await world.say(one, 'Spend')
    const mail = await world.send(one, 'More')
    await world.reaches(one, 'waiting')
    const [item] = await world.inbox()
    await answer(world, item!, 'stop')
    expect(await world.settled(mail.mailId)).toMatchObject({
      end: 'limit',
      reason: expect.stringMatching(/^Stopped at the limit of 1\.00 USD a day for the agent miser/),
    })
    expect(await world.say(two, 'Me too')).toMatchObject({ end: 'limit' })
    expect(await world.inbox()).toEqual([])
    expect(world.vendor.requests).toHaveLength(1)
  })

  test('ends a turn at which nobody is there to ask', async () => {
    const world = await miser(store, { maxCostUsd: 0.5 })
    world.vendor.script(() => ({
      calls: [{ name: 'list_dir', input: { path: '.' } }],
      usage: { input: 0, output: 49_900 },
    }))
    const { id } = await world.session({ agent: 'miser', unattended: 'deny' })
    expect(await world.say(id, 'Work')).toMatchObject({
      end: 'limit',
      reason: expect.stringContaining('limits.maxCostUsd'),
    })
    expect(await world.inbox()).toEqual([])
    const exceeded = (await world.events(id)).find(({ type }) => type === 'budget.exceeded')
    expect(exceeded?.data).toMatchObject({ limitUsd: 0.5, spentUsd: 0.499 })
  })

  test('of a day is a new one on the next, and its limit is for all agents or for one', async () => {
    const clock = createClock()
    clock.at = new Date(2026, 2, 10, 12).getTime()
    const files = cast({ ann: { maxOutputTokens: 1000 }, ben: { maxOutputTokens: 1000 } })
    const settings = { limits: { dailyCostUsd: 1 } }
    const world = await createWorld({ store, files, settings, clock })
    priced(world, 'ann', 'ben')
    world.vendor.script(() => costing(0.998))
    const ann = await world.session({ agent: 'ann' })
    const ben = await world.session({ agent: 'ben' })
    expect(await world.say(ann.id, 'Spend')).toMatchObject({ end: 'done' })
    const mail = await world.send(ben.id, 'Spend')
    await world.reaches(ben.id, 'waiting')
    expect((await budgets(world)).map(({ id }) => id)).toEqual(['day:2026-03-10'])
    expect(await world.inbox()).toHaveLength(1)
    clock.at += 13 * 3_600_000
    world.server.core.alarm(0)
    await world.reaches(ben.id, 'idle')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done' })
    expect(await world.inbox()).toEqual([])
    expect((await budgets(world)).map(({ id }) => id)).toEqual(['day:2026-03-10', 'day:2026-03-11'])
  })

  test('that is set in the middle of a day knows what was spent before', async () => {
    const world = await miser(store, {})
    world.vendor.script(() => costing(0.9))
    const { id } = await world.session({ agent: 'miser' })
    await world.say(id, 'Spend')
    expect(await budgets(world)).toEqual([])
    changeSettings(world, (settings) => {
      settings.limits = { dailyCostUsd: 1 }
    })
    const mail = await world.send(id, 'More')
    await world.settled(mail.mailId)
    expect(await budgets(world)).toMatchObject([
      { id: expect.stringMatching(/^day:/), limit_nanos: 1e9, spent_nanos: 1.8e9 },
    ])
    expect(world.vendor.requests[1]?.maxTokens).toBeLessThan(10_000)
  })

  test('needs a price: a person says what a model costs, and it is asked', async () => {
    const world = await miser(store)
    changeSettings(world, (settings) => {
      settings.providers.lab.prices = {}
    })
    world.vendor.script(() => costing(0.1))
    const { id } = await world.session({ agent: 'miser' })
    const reply = await world.say(id, 'Work')
    expect(reply).toMatchObject({ end: 'limit', reason: expect.stringMatching(/price of lab\/miser is not known/) })
    await world.say(id, 'Again')
    const [item, ...others] = await world.inbox()
    expect(others).toEqual([])
    expect(item).toMatchObject({ options: ['free'], title: expect.stringContaining('lab/miser') })
    expect((await answer(world, item!, 'cheap')).body).toMatchObject({ error: { code: 'inbox.bad_answer' } })
    // Two people at once: what the first one said is the price.
    const said = await Promise.all(['1 10', '1 10'].map((words) => answer(world, item!, words)))
    expect(said.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await world.events()).filter(({ type }) => type === 'inbox.answered')).toMatchObject([
      { data: { inboxId: item!.id } },
    ])
    expect(await world.say(id, 'Work')).toMatchObject({ end: 'done', costUsd: 0.1 })
    const settings = JSON.parse(readFileSync(join(world.home, 'settings.json'), 'utf8'))
    expect(settings.providers.lab.prices).toEqual({ miser: { input: 1, output: 10 } })
    // The same for a provider that no settings name yet.
    await onSession(world.server.core, id, 'test', (tx, session) =>
      askPrice(tx, session, 'openai/new', 'Nobody knows.'),
    )
    await answer(world, (await world.inbox())[0]!, 'free')
    const { providers } = JSON.parse(readFileSync(join(world.home, 'settings.json'), 'utf8'))
    expect(providers.openai).toEqual({ prices: { new: { input: 0, output: 0 } } })
  })

  test('is read by an interrupting message, which ends no wait for money', async () => {
    const world = await miser(store, { maxCostUsd: 0.001 })
    const { id } = await world.session({ agent: 'miser' })
    await world.send(id, 'Work')
    await world.reaches(id, 'waiting')
    expect(await world.send(id, 'Stop that', { interrupt: true })).toMatchObject({ outcome: 'started' })
    await world.eventually(async () => (await mails(world)).every(({ state }) => state === 'taken'))
    await world.reaches(id, 'waiting')
    await atRest(world)
    expect(world.vendor.requests).toEqual([])
    expect(await world.inbox()).toHaveLength(1)
    expect(await ended(world, id)).toEqual([])
  })

  test('that has run out survives a restart, with its question and whoever waits', async () => {
    const world = await miser(store, { maxCostUsd: 0.001 })
    const { id } = await world.session({ agent: 'miser' })
    const mail = await world.send(id, 'Work')
    await world.reaches(id, 'waiting')
    await world.restart()
    const [item] = await world.inbox()
    expect(item?.title).toMatch(/^The budget of the turn of miser [0-9a-z]+ and its children is used up: 0\.001 USD/)
    await answer(world, item!, '$1')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done' })
    expect(world.vendor.requests).toHaveLength(1)
  })
})
