import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Why } from '../../src/contract/why.ts'
import { onSession } from '../../src/core/base/index.ts'
import { askPrice } from '../../src/core/budgets/index.ts'
import { act, cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { stores } from '../kit/database.ts'
import { atRest, mails } from '../kit/records.ts'
import type { Reply } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Each member of the cast has a model of its name; a million tokens of input cost a dollar, of output ten. */
const priced = (world: World, ...names: string[]): void =>
  changeSettings(world, (settings) => {
    settings.providers.lab.prices = Object.fromEntries(names.map((name) => [name, { input: 1, output: 10 }]))
  })

function changeSettings(world: World, change: (settings: ReturnType<typeof JSON.parse>) => void): void {
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  change(settings)
  writeFileSync(file, JSON.stringify(settings))
}

/** An answer that costs so many dollars by its output alone. */
const costing = (usd: number, more: Reply = {}): Reply => ({
  text: 'Done.',
  usage: { input: 0, output: usd * 100_000 },
  ...more,
})

const budgets = (world: World) => world.server.core.store.read.selectFrom('budgets').selectAll().execute()
const reservations = (world: World) => world.server.core.store.read.selectFrom('reservations').selectAll().execute()
const answer = (world: World, { id }: InboxItem, words: string) =>
  world.request('POST', `/api/inbox/${id}/answer`, { answer: words })
const why = async (world: World, ref: string) => (await world.ok<Why>('GET', `/api/why/${ref}`)).text
const ended = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'turn.ended').map(({ data }) => data)

describe.each(stores)('a budget on %s', (store) => {
  /** One agent that may spend a dollar a day, and a cent for each thousand tokens of output it asks for. */
  const miser = async (limits: Record<string, number> = { dailyCostUsd: 1 }, more = {}) => {
    const files = cast({ miser: { maxOutputTokens: 40_000, limits, ...more } })
    const world = await createWorld({ store, files })
    priced(world, 'miser')
    return world
  }

  test('is reserved before the request and settled at what the request cost', async () => {
    const world = await miser()
    const gate = Promise.withResolvers<void>()
    world.vendor.reply(costing(0.25, { delay: gate.promise }))
    const { id } = await world.session({ agent: 'miser' })
    const mail = await world.send(id, 'Work')
    await world.eventually(async () => world.vendor.requests.length === 1)
    const [held] = await budgets(world)
    expect(held).toMatchObject({ limit_nanos: 1e9, spent_nanos: 0 })
    // 40,000 tokens of output, and what the model reads.
    expect(held?.reserved_nanos).toBeGreaterThan(0.4e9)
    expect(held?.reserved_nanos).toBeLessThan(0.5e9)
    expect(await reservations(world)).toMatchObject([{ session_id: id, nanos: held?.reserved_nanos }])
    gate.resolve()
    await world.settled(mail.mailId)
    expect(await budgets(world)).toMatchObject([{ spent_nanos: 0.25e9, reserved_nanos: 0 }])
    expect(await reservations(world)).toEqual([])
    const types = (await world.events(id)).map(({ type }) => type)
    expect(types.indexOf('budget.reserved')).toBe(types.indexOf('model.called') - 1)
  })

  test('that others have reserved is waited for in the order of coming, without a slot, and mail is queued', async () => {
    const world = await miser()
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
    const replies = gates.map(({ promise }) => costing(0.1, { delay: promise }))
    world.vendor.script(() => replies.shift()!)
    const sessions = []
    for (let at = 0; at < 4; at++) {
      const { id } = await world.session({ agent: 'miser' })
      sessions.push({ id, mail: await world.send(id, `Work ${at}`) })
      await (at < 2
        ? world.eventually(async () => world.vendor.requests.length === at + 1)
        : world.reaches(id, 'waiting'))
    }
    const [, , third, fourth] = sessions as [unknown, unknown, (typeof sessions)[0], (typeof sessions)[0]]
    expect((await world.look(third.id)).reason).toContain('money that others have reserved')
    expect(await why(world, third.id)).toMatch(
      /waits for money.*\n.*budget agent:.*1\.00 USD a day for the agent miser/,
    )
    expect(await world.send(fourth.id, 'More')).toMatchObject({ outcome: 'queued' })
    expect((await world.look(fourth.id)).status).toBe('waiting')

    gates[0]!.resolve()
    await world.eventually(async () => world.vendor.requests.length === 3)
    expect(world.vendor.requests[2]?.lastUserText).toContain('Work 2')
    for (const { resolve } of gates) resolve()
    for (const { mail } of sessions) expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done' })
    expect(world.vendor.requests[3]?.lastUserText).toContain('More')
    expect(await world.inbox()).toEqual([])
  })

  test('is held up by nobody who is paused: who needs less goes on behind it', async () => {
    const files = cast({ miser: { maxOutputTokens: 40_000 }, modest: { maxOutputTokens: 2_000 } })
    const world = await createWorld({ store, files, settings: { limits: { dailyCostUsd: 1 } } })
    priced(world, 'miser', 'modest')
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ model }) => (model === 'miser' ? costing(0.1, { delay: gate.promise }) : costing(0.01)))
    const start = async (agent: string) => {
      const { id } = await world.session({ agent })
      return { id, mail: await world.send(id, 'Work') }
    }
    for (const many of [1, 2]) {
      await start('miser')
      await world.eventually(async () => world.vendor.requests.length === many)
    }
    const first = await start('miser')
    await world.reaches(first.id, 'waiting')
    const second = await start('modest')
    await world.reaches(second.id, 'waiting')
    await world.ok('POST', `/api/sessions/${first.id}/pause`, {})
    expect(await world.settled(second.mail.mailId)).toMatchObject({ end: 'done' })
    gate.resolve()
  })

  test('that is too small is one question, however many run into it; raised, all go on', async () => {
    const world = await miser()
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
    const world = await miser()
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
    const world = await miser({ maxCostUsd: 0.5 })
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

  test('lowers what a request may write to what it leaves, and a request that was stopped counts in full', async () => {
    const world = await miser({ maxCostUsd: 0.2 })
    world.vendor.reply({ text: 'Slow', hang: true })
    const { id } = await world.session({ agent: 'miser' })
    const streams = world.streams('Slow')
    const mail = await world.send(id, 'Work')
    await streams
    expect(world.vendor.requests[0]?.maxTokens).toBeLessThan(20_000)
    expect(world.vendor.requests[0]?.maxTokens).toBeGreaterThan(15_000)
    const [{ nanos } = { nanos: 0 }] = await reservations(world)
    await act(world, id, 'cancel')
    await world.settled(mail.mailId)
    expect(await budgets(world)).toMatchObject([{ spent_nanos: nanos, reserved_nanos: 0 }])
  })

  test('is asked for anew by each request that fails, at the price of whom it goes to', async () => {
    const world = await createWorld({
      store,
      files: cast({ miser: { maxOutputTokens: 10_000, limits: { maxCostUsd: 1 }, fallbackModels: ['lab/cheap'] } }),
    })
    changeSettings(world, (settings) => {
      settings.providers.lab.prices = { miser: { input: 1, output: 10 }, cheap: { input: 0, output: 1 } }
    })
    world.vendor.queue({ model: 'miser' }, { error: { kind: 'not-found' } })
    world.vendor.script(() => costing(0.1), { model: 'cheap' })
    const { id } = await world.session({ agent: 'miser' })
    expect(await world.say(id, 'Work')).toMatchObject({ end: 'done' })
    const reserved = (await world.events(id)).filter(({ type }) => type === 'budget.reserved')
    expect(reserved).toHaveLength(2)
    expect(reserved[0]?.data.usd).toBeGreaterThan(0.1)
    expect(reserved[1]?.data.usd).toBeCloseTo(0.01)
    expect(await budgets(world)).toMatchObject([{ spent_nanos: 0.01e9, reserved_nanos: 0 }])
  })

  test('is left by whoever is canceled or paused: the next in line goes on, and a question for nobody goes', async () => {
    const world = await miser()
    const gate = Promise.withResolvers<void>()
    world.vendor.script(({ lastUserText }) =>
      lastUserText.includes('Hold') ? costing(0.2, { delay: gate.promise }) : costing(0.01),
    )
    const make = async (word: string) => {
      const { id } = await world.session({ agent: 'miser' })
      return { id, mail: await world.send(id, word) }
    }
    const holders = [await make('Hold'), await make('Hold')]
    await world.eventually(async () => world.vendor.requests.length === 2)
    const line = []
    for (const word of ['Canceled', 'Paused', 'Third']) {
      line.push(await make(word))
      await world.reaches(line.at(-1)!.id, 'waiting')
    }
    const [canceled, paused, third] = line as [(typeof line)[0], (typeof line)[0], (typeof line)[0]]
    await act(world, canceled.id, 'cancel')
    expect(await world.settled(canceled.mail.mailId)).toMatchObject({ end: 'canceled' })
    await act(world, paused.id, 'pause')
    await world.reaches(paused.id, 'paused')
    expect(await why(world, paused.id)).toContain('When resumed it waits for money')
    gate.resolve()
    expect(await world.settled(third.mail.mailId)).toMatchObject({ end: 'done' })
    for (const { mail } of holders) await world.settled(mail.mailId)
    await act(world, paused.id, 'resume')
    expect(await world.settled(paused.mail.mailId)).toMatchObject({ end: 'done' })

    changeSettings(world, (settings) => {
      settings.limits = { dailyCostUsd: 0.001 }
    })
    const asked = await make('Too much')
    await world.reaches(asked.id, 'waiting')
    expect(await world.inbox()).toHaveLength(1)
    await act(world, asked.id, 'cancel')
    await world.reaches(asked.id, 'idle')
    expect(await world.inbox()).toEqual([])
    // Whoever runs into it next is asked about anew.
    const next = await make('Too much again')
    await world.reaches(next.id, 'waiting')
    expect(await world.inbox()).toHaveLength(1)
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
    const world = await miser({})
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
    const world = await miser()
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
    const world = await miser({ maxCostUsd: 0.001 })
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
    const world = await miser({ maxCostUsd: 0.001 })
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
