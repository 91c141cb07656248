import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { act, cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, sessionOf, tasks } from '../kit/records.ts'
import { spawn } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const CHILDREN = 50
const prices = { input: 1, output: 10 }

/** What the vendor charges for a request and its answer, whoever got the answer. */
interface Till {
  usd: number
  /** The most that it has to charge after one more. */
  readonly charge: (request: SeenRequest, reply: Reply, output: number) => Reply
}

function openTill(): Till {
  const till: Till = {
    usd: 0,
    charge(request, reply, wanted) {
      const output = Math.min(wanted, request.maxTokens ?? 0)
      const input = Math.ceil(JSON.stringify(request.body).length / 4)
      till.usd += (input * prices.input + output * prices.output) / 1_000_000
      return { ...reply, usage: { input, output } }
    },
  }
  return till
}

/** A boss that may spend a dollar in one turn gives fifty others work that costs three cents each. */
async function office(store: (typeof stores)[number]) {
  const files = cast({
    boss: { maxOutputTokens: 2000, limits: { maxCostUsd: 1 } },
    clerk: { maxOutputTokens: 3000 },
  })
  const world = await createWorld({ store, files, settings: { limits: { maxConcurrentTasks: CHILDREN } } })
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.providers.lab.prices = { boss: prices, clerk: prices }
  writeFileSync(file, JSON.stringify(settings))
  const till = openTill()
  world.vendor.script((request) => till.charge(request, { text: 'Filed.' }, 2500), { model: 'clerk' })
  world.vendor.script(
    (request) => {
      const given = request.messages.some(({ results }) => results.length > 0)
      const calls = Array.from({ length: CHILDREN }, (_, at) => spawn('clerk', `File number ${at}`))
      return till.charge(request, given ? { text: 'All filed.' } : { calls }, 500)
    },
    { model: 'boss' },
  )
  const boss = await world.session({ agent: 'boss' })
  return { world, till, boss, mail: await world.send(boss.id, 'Have it filed') }
}

/** The question, once nothing goes on any more without its answer. */
async function asked(world: World): Promise<InboxItem> {
  await patiently(world, async () => (await tasks(world)).length === CHILDREN)
  await patiently(world, async () => (await world.inbox()).length > 0)
  await atRest(world)
  const [item, ...others] = await world.inbox()
  expect(others).toEqual([])
  return item!
}

/** Fifty sessions on a busy machine take their time. */
async function patiently(world: World, look: () => Promise<boolean>): Promise<void> {
  for (let more = 4; more > 0; more--) if (await world.eventually(look).catch(() => false)) return
  await world.eventually(look)
}

const finished = async (world: World): Promise<number> =>
  (await tasks(world)).filter(({ status }) => status === 'finished').length

const budget = async ({ server }: World) =>
  (await server.core.store.read.selectFrom('budgets').selectAll().execute())[0]!

describe.each(stores)('fifty children under a budget of a dollar on %s', (store) => {
  test('spend no more than that by the prices of the vendor, and one question asks for more', {
    timeout: 300_000,
  }, async () => {
    const { world, till, boss, mail } = await office(store)
    const item = await asked(world)
    const { spent_nanos, reserved_nanos } = await budget(world)
    expect(till.usd).toBeLessThanOrEqual(1)
    expect(till.usd).toBeCloseTo(spent_nanos / 1e9, 6)
    expect(reserved_nanos).toBe(0)
    // What is left is less than a request and the shortest answer need, and nobody was left waiting who fitted.
    expect(1 - till.usd).toBeLessThan(0.03)
    expect(await finished(world)).toBeGreaterThan(20)
    const before = await finished(world)

    await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'raise to 3' })
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'All filed.' })
    expect(await finished(world)).toBe(CHILDREN)
    expect(before).toBeLessThan(CHILDREN)
    expect(till.usd).toBeLessThanOrEqual(3)
    const { totalCostUsd } = await world.look(boss.id)
    expect(totalCostUsd).toBeCloseTo(till.usd, 6)
  })

  test('do so also when the server is stopped and started in the middle', { timeout: 300_000 }, async () => {
    const { world, till } = await office(store)
    await patiently(world, async () => (await finished(world)) >= 5)
    await world.restart()
    await asked(world)
    expect(till.usd).toBeLessThanOrEqual(1)
    expect((await budget(world)).reserved_nanos).toBe(0)
    expect((await budget(world)).spent_nanos).toBeGreaterThanOrEqual(Math.floor(till.usd * 1e9))
  })
})

test('fifty children end when a person stops their budget, and so does whoever gave them the work', {
  timeout: 300_000,
}, async () => {
  const { world, till, mail } = await office('sqlite')
  const item = await asked(world)
  await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'stop' })
  expect(await world.settled(mail.mailId)).toMatchObject({ end: 'limit' })
  const rows = await tasks(world)
  expect(rows.map(({ status }) => status).toSorted()).toEqual(
    [...rows.map(() => 'finished').slice(0, await finished(world)), ...rows.map(() => 'failed')]
      .slice(0, 50)
      .toSorted(),
  )
  expect(rows.find(({ status }) => status === 'failed')?.error).toContain('Stopped at the limit of')
  expect(till.usd).toBeLessThanOrEqual(1)
  expect(await world.inbox()).toEqual([])
})

test('a child’s own limit and that of its maker both hold, and what it spends counts once in each', async () => {
  const files = cast({
    boss: { maxOutputTokens: 1000, limits: { maxCostUsd: 1 } },
    clerk: { maxOutputTokens: 1000, limits: { maxCostUsd: 0.05 } },
  })
  const world = await createWorld({ files })
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.providers.lab.prices = { boss: prices, clerk: prices }
  settings.limits = { dailyCostUsd: 10 }
  writeFileSync(file, JSON.stringify(settings))
  const look = { calls: [{ name: 'list_dir', input: { path: '.' } }], usage: { input: 0, output: 4500 } }
  world.vendor.script(() => look, { model: 'clerk' })
  world.vendor.queue({ model: 'boss' }, { calls: [spawn('clerk', 'Work')], usage: { input: 0, output: 1000 } })
  const boss = await world.session({ agent: 'boss' })
  await world.send(boss.id, 'Begin')
  const clerk = await sessionOf(world, 'clerk', 'waiting')
  const rows = await world.server.core.store.read.selectFrom('budgets').selectAll().orderBy('limit_nanos').execute()
  expect(rows.map(({ spent_nanos, limit_nanos }) => [limit_nanos / 1e9, spent_nanos / 1e9])).toEqual([
    [0.05, 0.045],
    [1, 0.055],
    [10, 0.055],
  ])
  expect((await world.look(clerk.id)).reason).toContain('the turn of clerk')
  await act(world, boss.id, 'cancel')
  await atRest(world)
  expect(await world.inbox()).toEqual([])
})
