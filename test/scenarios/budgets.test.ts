import { describe, expect, test } from 'vitest'
import { budgets, changeSettings, costing, miser, priced, why } from '../kit/budgets.ts'
import { act, cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const reservations = (world: World) => world.server.core.store.read.selectFrom('reservations').selectAll().execute()

describe.each(stores)('a budget on %s', (store) => {
  test('is reserved before the request and settled at what the request cost', async () => {
    const world = await miser(store)
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
    const world = await miser(store)
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

  test('lowers what a request may write to what it leaves, and a request that was stopped counts in full', async () => {
    const world = await miser(store, { maxCostUsd: 0.2 })
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
    const world = await miser(store)
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
})
