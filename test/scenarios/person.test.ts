import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Why } from '../../src/contract/why.ts'
import { transact } from '../../src/core/base/transaction.ts'
import { notifyProject } from '../../src/core/inbox/items.ts'
import { heedStandstill } from '../../src/core/turns/standstill.ts'
import { putPresence } from '../../src/store/presence.ts'
import { createClock } from '../kit/clock.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { troupe } from '../kit/program.ts'
import { atRest } from '../kit/records.ts'
import { startRun, workNode } from '../kit/runs.ts'
import { askPerson, nap, parts, spawn } from '../kit/script.ts'
import { MINUTE, pass, say, trigger } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

const asks = (options?: string[]) => ({
  name: 'ask_human',
  input: { question: 'Red or green?', ...(options && { options }) },
})
const list = (world: World, query = ''): Promise<{ items: InboxItem[]; nextCursor?: string }> =>
  world.ok('GET', `/api/inbox?${query}`)

/** So many notices that belong to no session. */
const tell = (world: World, count: number, more: { group?: string } = {}, name = 't') =>
  transact(world.server.core, 'test', async (tx) => {
    for (let at = 0; at < count; at += 1)
      await notifyProject(tx, world.server.core.project.id, {
        id: `inbox_${name}${at}`,
        title: `News ${at}`,
        body: `b${at}`,
        ...more,
      })
  })

/** The same row a thousand times. */
async function fill({ server: { core } }: World, count: number): Promise<void> {
  const row = (await core.store.read.selectFrom('inbox').selectAll().executeTakeFirst())!
  const rows = Array.from({ length: count }, (_, at) => ({
    ...row,
    id: `inbox_t${at + 1}`,
    created_at: 1000 + (at % 7),
  }))
  for (let at = 0; at < count; at += 200)
    await core.store.write((db) =>
      db
        .insertInto('inbox')
        .values(rows.slice(at, at + 200))
        .execute(),
    )
}

describe.each(stores)('the inbox on %s', (store) => {
  test('a storm of one kind is one line while it is open, and begins anew once it was put away', async () => {
    const world = await createWorld({ store })
    await tell(world, 20, { group: 'storm' })
    const { items } = await list(world, 'status=open')
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      times: 20,
      title: 'News 19 (20 of the kind)',
      body: expect.stringMatching(/^b19\n\nBefore that:\n(- News \d+\n?){9}$/),
    })
    const events = (await world.events()).filter(({ type }) => type.startsWith('inbox.'))
    expect(
      events
        .map(({ type }) => type)
        .toSorted()
        .slice(0, 2),
    ).toEqual(['inbox.added', 'inbox.repeated'])
    await world.ok('POST', `/api/inbox/${items[0]!.id}/dismiss`)
    await transact(world.server.core, 'test', (tx) =>
      notifyProject(tx, world.server.core.project.id, { id: 'inbox_again', title: 'Again', body: '', group: 'storm' }),
    )
    expect((await list(world, 'status=open')).items.map(({ title }) => title)).toEqual(['Again'])
  })

  test('a thousand items are listed page by page, each once, also when more come in meanwhile; one is found by its beginning', async () => {
    const world = await createWorld({ store })
    await tell(world, 1)
    await fill(world, 999)
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await list(world, `status=open&limit=200${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor ?? ''
      if (seen.length === 200) await tell(world, 5, {}, 'late')
    } while (cursor)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(1000)
    expect((await list(world, 'id=inbox_t99&kind=notice')).items).toHaveLength(11)
    expect((await list(world, 'kind=question')).items).toEqual([])
  })
})

describe.each(storesInTurn(import.meta.filename))('what waits for the person on %s', (store) => {
  test('names its run and its worker', async () => {
    const world = await createWorld({ store })
    parts(world, {
      'Build it': [{ calls: [workNode('Paint the wall')] }, { text: 'Given.' }],
      'Paint the wall': [{ calls: [askPerson] }, { text: 'Painted.' }],
    })
    const run = await startRun(world, 'Build it')
    const item = await world.eventually(async () => (await world.inbox())[0])
    expect(item.lineage.map(({ kind }) => kind)).toEqual(['run', 'session', 'worker', 'session', 'task'])
    expect(item.lineage[0]).toMatchObject({ id: run.id, label: 'Build it' })
    expect(item.waits).toMatchObject([{ tool: 'ask_human', sessionId: item.from.sessionId }])
    // Its worker is called by its name wherever it is spoken of.
    const called = `worker-1 ${item.from.handle}`
    expect(item.lineage.at(-2)).toMatchObject({ kind: 'session', label: called })
    const whys = await Promise.all([item.id, item.from.sessionId].map((id) => world.ok<Why>('GET', `/api/why/${id}`)))
    expect(whys.map(({ text }) => text.split('\n', 1)[0])).toEqual([
      expect.stringContaining(`The question of ${called} waits for your answer`),
      expect.stringContaining(`${called} waits for your answer`),
    ])
    expect(await troupe(world, 'inbox', 'list')).toMatch(new RegExp(`coordinator \\w+ › ${called}`))
  })

  test('names the trigger that was missed, in no session', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const made = await trigger(world, {
      name: 'Hourly',
      type: 'heartbeat',
      config: { intervalSeconds: 60, onlyIf: [] },
      action: say('assistant', 'Look'),
      catchUp: 'none',
    })
    pass(world, clock, 30 * MINUTE)
    const item = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'notice'))
    expect(item.lineage).toEqual([{ kind: 'trigger', id: made.id, label: 'Hourly' }])
    expect(item.from).toEqual({ kind: 'system' })
  })
})

describe.each(storesInTurn(import.meta.filename))('a person who is away, on %s', (store) => {
  test('has the first option taken where that was set, agents are told, and being back ends it', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, settings: { questions: { unattended: 'first' } } })
    parts(world, {
      Choose: [{ calls: [asks(['red', 'green'])] }, { text: 'Done.' }, { calls: [asks(['red', 'green'])] }],
    })
    const until = new Date(clock.at + 10 * MINUTE).toISOString()
    expect(await world.ok('POST', '/api/presence', { status: 'away', until })).toMatchObject({ status: 'away', until })
    const session = await world.session()
    await world.send(session.id, 'Choose')
    await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Done.')
    expect(await world.results(session.id)).toMatchObject([
      { answer: 'red', answeredBy: expect.stringContaining(`away until ${until}`) },
    ])
    const [item] = (await list(world)).items
    expect(item).toMatchObject({ status: 'answered', answer: { answer: 'red' } })
    expect(JSON.stringify(world.vendor.requests[0]!.messages)).toContain('The person is away until')
    pass(world, clock, 11 * MINUTE)
    expect(await world.ok('GET', '/api/presence')).toEqual({ status: 'available' })
    await world.say(session.id, 'Again')
    expect(await world.look(session.id)).toMatchObject({ status: 'waiting' })
    expect(JSON.stringify(world.vendor.requests.at(-1)!.messages)).toContain('<presence> is empty now')
    await world.eventually(
      async () => (await world.events()).filter(({ type }) => type === 'presence.changed').length > 1,
    )
  })

  test('lets a question expire after its time, in words for the agent, and a late answer is refused', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    parts(world, { Choose: [{ calls: [asks()] }, { text: 'Done.' }] })
    const session = await world.session({ questions: 'expire:600' })
    expect(session).toMatchObject({ questions: 'expire:600' })
    await world.say(session.id, 'Choose')
    const [item] = await world.inbox()
    pass(world, clock, 11 * MINUTE)
    await world.eventually(async () => (await world.look(session.id)).lastSnippet === 'Done.')
    expect(await world.results(session.id)).toEqual([expect.stringContaining('Nobody answered within 600 s')])
    expect(await world.request('POST', `/api/inbox/${item!.id}/answer`, { answer: 'red' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('already expired') } },
    })
  })

  test.each([
    [{ status: 'away', until: '2001-01-01T00:00:00.000Z' }, 'past'],
    [{ status: 'available', until: '2101-01-01T00:00:00.000Z' }, 'for "away" only'],
  ])('is told what is wrong with %j', async (body, words) => {
    const world = await createWorld({ store })
    const refused = await world.request('POST', '/api/presence', body)
    expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(words) } } })
  })
})

describe.each(storesInTurn(import.meta.filename))('everything on %s', (store) => {
  test('is paused at its next safe point, begins nothing, stays so over a restart, and goes on but for what was paused by itself', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Work: [{ calls: [{ name: 'list_dir', input: { path: '.' } }], delay: gate.promise }, { text: 'Worked.' }],
      Later: [{ text: 'Late.' }],
      Own: [{ text: 'Owned.' }],
    })
    const [busy, idle, own] = [await world.session(), await world.session(), await world.session()]
    await world.send(busy.id, 'Work')
    await world.eventually(async () => world.vendor.requests.length === 1)
    await world.ok('POST', `/api/sessions/${own.id}/pause`)
    expect(await world.ok('POST', '/api/pause')).toMatchObject({ pausedSince: expect.any(String) })
    gate.resolve()
    await world.reaches(busy.id, 'paused')
    await world.send(idle.id, 'Later')
    await world.send(own.id, 'Own')
    await world.restart()
    expect((await world.ok<{ text: string }>('GET', `/api/why/${idle.id}`)).text).toContain('everything is paused')
    expect(world.vendor.requests).toHaveLength(1)
    expect(await world.ok('POST', '/api/resume')).toEqual({ status: 'available' })
    for (const { id } of [busy, idle])
      await world.eventually(async () => (await world.look(id)).lastSnippet.match(/Worked|Late/))
    expect(await world.look(own.id)).toMatchObject({ status: 'paused' })
  })

  test('also stops who was claimed so late that nobody told it, and lets it go on with the rest', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Work: [{ calls: [{ name: 'list_dir', input: { path: '.' } }], delay: gate.promise }, { text: 'Worked.' }],
    })
    const { id } = await world.session()
    await world.send(id, 'Work')
    await world.eventually(async () => world.vendor.requests.length === 1)
    const { core } = world.server
    await core.store.write((db) => putPresence(db, { paused_since: core.clock.now() }))
    await heedStandstill(core, id)
    gate.resolve()
    await world.reaches(id, 'paused')
    await world.ok('POST', '/api/resume')
    await world.eventually(async () => (await world.look(id)).lastSnippet === 'Worked.')
  })

  test('of a tree is stopped at once, also what nobody waits for', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [{ calls: [spawn('researcher', 'Dig', { wait: false }), spawn('writer', 'Saw')] }, { text: 'Done.' }],
      Dig: [{ calls: [spawn('writer', 'Deeper')] }, { text: 'Dug.' }],
      Deeper: [{ text: 'Never', hang: true }],
      Saw: [{ calls: [nap] }],
    })
    const top = await world.session()
    await world.send(top.id, 'Start')
    await world.eventually(async () => world.vendor.requests.length >= 4)
    const before = world.vendor.requests.length
    await world.ok('POST', `/api/sessions/${top.id}/cancel?tree=true`)
    await world.eventually(async () => {
      const { items } = await world.ok<{ items: { status: string }[] }>('GET', '/api/tasks?limit=50')
      return items.length === 3 && items.every(({ status }) => status === 'canceled')
    })
    expect(world.vendor.requests).toHaveLength(before)
  })

  test('of a tree is stopped where those at rest above it gave the work: its end calls none of them', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 2 } } })
    const both = [spawn('writer', 'Deeper', { wait: false }), spawn('writer', 'Deeper', { wait: false })]
    parts(world, {
      Start: [{ calls: [spawn('researcher', 'Lead', { wait: false })] }, { text: 'Begun.' }],
      Lead: [{ calls: [...both, ...both] }, { text: 'Led.' }],
      Deeper: [{ text: 'Never', hang: true }],
    })
    const top = await world.session()
    await world.send(top.id, 'Start')
    await world.eventually(
      async () => world.vendor.requests.length === 6 && (await world.look(top.id)).status === 'idle',
    )
    await world.ok('POST', `/api/sessions/${top.id}/cancel?tree=true`)
    await world.eventually(async () => {
      const { items } = await world.ok<{ items: { status: string }[] }>('GET', '/api/tasks?limit=50')
      return items.length === 5 && items.every(({ status }) => status === 'canceled')
    })
    await atRest(world)
    expect(world.vendor.requests).toHaveLength(6)
    expect(await world.inbox()).toEqual([])
  })
})
