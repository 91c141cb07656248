import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { transact } from '../../src/core/base/index.ts'
import { notifyProject } from '../../src/core/inbox/index.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { openReceiver, type Posted } from '../kit/receivers.ts'
import { parts } from '../kit/script.ts'
import { MINUTE, pass } from '../kit/triggers.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const hook = (url: string) => ({ type: 'webhook', url, private: true })
const publicUrl = 'https://troupe.example.org'

/** A world whose assistant asks, with two channels. */
async function withChannels(settings: Record<string, unknown>, more: WorldOptions = {}) {
  const [one, two] = [await openReceiver(), await openReceiver()]
  const { channels, ...rest } = settings
  const world = await createWorld({
    settings: {
      server: { publicUrl },
      channels: { to: { one: hook(one.url), two: hook(two.url) }, ...(channels as object) },
      ...rest,
    },
    ...more,
  })
  parts(world, {
    Ask: [{ calls: [{ name: 'ask_human', input: { question: 'Which?' } }] }, { text: 'Done.' }],
    Run: [{ calls: [{ name: 'bash', input: { command: 'echo built' } }] }, { text: 'Done.' }],
  })
  const ask = async (word = 'Ask') => {
    const { id } = await world.session()
    await world.send(id, word)
    await world.reaches(id, 'waiting')
    return id
  }
  return { world, one, two, ask }
}

const rows = (world: World) => world.server.core.store.read.selectFrom('deliveries').selectAll().execute()
const settled = (world: World, count: number) =>
  world.eventually(async () => {
    const found = await rows(world)
    return found.filter(({ state }) => state !== 'pending').length === count && found
  })
const kinds = ({ posted }: { posted: Posted[] }) =>
  posted.map(({ body }) => (body as { item: { kind: string } }).item.kind)
const tell = (world: World, id: string) =>
  transact(world.server.core, 'test', (tx) =>
    notifyProject(tx, world.server.core.project.id, { id, title: 'News', body: 'News' }),
  )

describe.each(storesInTurn(import.meta.filename))('a route on %s', (store) => {
  test('of a folder takes what lies in it, not what only begins with its name; each of its lists has to fit', async () => {
    const { world, one, two, ask } = await withChannels({}, { store })
    const here = world.project
    const routes = [
      { projects: [dirname(here)], kinds: ['question'], channels: ['one'] },
      { projects: [here], agents: ['assistant'], channels: ['one'] },
      { projects: [`${here}x`, here.slice(0, -1), join(here, 'below')], channels: ['two'] },
      { projects: [here], kinds: ['approval'], channels: ['two'] },
      { agents: ['writer'], channels: ['two'] },
    ]
    await world.ok('PATCH', '/api/settings', { where: 'home', changes: { routes } })
    await ask()
    await settled(world, 1)
    expect([kinds(one), kinds(two)]).toEqual([['question'], []])
  })

  test('to the channel for one who is away takes what somebody waits for, and only then', async () => {
    const { world, one, two, ask } = await withChannels(
      { channels: { away: ['two'] }, routes: [{ kinds: ['notice'], channels: ['one'] }] },
      { store },
    )
    await ask()
    await settled(world, 1)
    await world.ok('POST', '/api/presence', { status: 'away' })
    await tell(world, 'inbox_news')
    await settled(world, 2)
    await ask()
    await settled(world, 3)
    await world.ok('POST', '/api/presence', { status: 'available' })
    await ask()
    await settled(world, 4)
    expect([kinds(one), kinds(two)]).toEqual([['notice'], ['question']])
  })
})

describe.each(storesInTurn(import.meta.filename, 1))('a channel on %s', (store) => {
  test('that takes nothing is tried again after 30 s, 2 min, 10 min, 30 min and 2 h, and not once what it should tell is settled', async () => {
    const clock = createClock()
    const { world, one, ask } = await withChannels({ routes: [{ channels: ['one'] }] }, { store, clock })
    one.status = 503
    const id = await ask()
    const timer = () =>
      world.server.core.store.read.selectFrom('timers').selectAll().where('kind', '=', 'delivery').executeTakeFirst()
    const waits: number[] = []
    for (let tries = 1; tries <= 5; tries += 1) {
      await world.eventually(
        async () => (await rows(world))[0]?.attempts === tries && (await rows(world))[0]?.reason !== null,
      )
      const due = Number((await timer())!.due_at)
      waits.push(due - clock.at)
      if (tries === 5) break
      await world.server.core.store.write((db) => db.updateTable('deliveries').set({ reason: null }).execute())
      pass(world, clock, due - clock.at)
      await world.eventually(async () => one.posted.length === tries + 1)
    }
    expect(waits).toEqual([30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 120 * MINUTE])
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'red' })
    await world.eventually(async () => (await world.look(id)).lastSnippet === 'Done.')
    pass(world, clock, 121 * MINUTE)
    expect(await settled(world, 1)).toMatchObject([{ state: 'done', attempts: 5, reason: 'It was settled before.' }])
    expect(one.posted).toHaveLength(5)
  })

  test('whose secret is not in the environment says which, and what answers with a redirect or an error has not taken it', async () => {
    const { world, one, ask } = await withChannels(
      {
        channels: {
          to: {
            unset: { type: 'webhook', url: '$NO_SUCH_URL' },
            post: { type: 'email', host: '127.0.0.1', port: 1, password: '$NO_PASSWORD', from: 'a@b.c', to: 'd@e.f' },
            one: hook('http://127.0.0.1:9/'),
          },
        },
        routes: [{ channels: ['unset', 'post', 'one'] }],
      },
      { store },
    )
    await world.ok('PATCH', '/api/settings', { where: 'home', changes: { 'channels.to.one': hook(one.url) } })
    one.status = 300
    await ask()
    const found = await world.eventually(async () => {
      const all = await rows(world)
      return all.length === 3 && all.every(({ reason }) => reason !== null) && all
    })
    expect(Object.fromEntries(found.map(({ channel, reason }) => [channel, reason]))).toEqual({
      unset: '$NO_SUCH_URL is not set in the environment.',
      post: '$NO_PASSWORD is not set in the environment.',
      one: expect.stringContaining('300'),
    })
  })

  test('by which links may decide lets exactly the call run that was asked about, and the security log says so', async () => {
    const { world, one, ask } = await withChannels(
      { channels: { approvals: true }, routes: [{ channels: ['one'] }] },
      { store },
    )
    const id = await ask('Run')
    const [post] = await world.eventually(async () => one.posted.length === 1 && one.posted)
    const path = new URL((post!.body as { answer: string }).answer).pathname
    const headers = {
      authorization: '',
      host: 'troupe.example.org',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const done = await world.call('POST', path, { headers, body: 'decision=once' })
    expect(done.status).toBe(200)
    await world.eventually(async () => (await world.look(id)).lastSnippet === 'Done.')
    expect(JSON.stringify(await world.results(id))).toContain('built')
    expect(readFileSync(join(world.home, 'logs', 'security.log'), 'utf8')).toMatch(/once by human via one: /)
  })
})

describe.each(storesInTurn(import.meta.filename))('who is away on %s', (store) => {
  const changes = async (world: World) =>
    (await world.events()).filter(({ type }) => type === 'presence.changed').map(({ data }) => data.status)

  test('and says so again is told of once; who stays away longer, or is back before, is not called back by the first time', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const set = (status: string, minutes?: number) =>
      world.ok('POST', '/api/presence', {
        status,
        ...(minutes === undefined ? {} : { until: new Date(clock.at + minutes * MINUTE).toISOString() }),
      })
    await set('away')
    await set('away')
    expect(await changes(world)).toEqual(['away'])
    await set('away', 10)
    await set('away')
    pass(world, clock, 11 * MINUTE)
    expect(await world.ok('GET', '/api/presence')).toMatchObject({ status: 'away' })
    await set('away', 10)
    await set('available')
    await set('away', 30)
    pass(world, clock, 11 * MINUTE)
    expect(await world.ok('GET', '/api/presence')).toMatchObject({ status: 'away' })
    pass(world, clock, 20 * MINUTE)
    await world.eventually(async () => (await changes(world)).length === 7)
    expect(await changes(world)).toEqual(['away', 'away', 'away', 'away', 'available', 'away', 'available'])
  })
})
