import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import type { Daemon } from '../../src/contract/triggers.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, sessionOf, sessions } from '../kit/records.ts'
import { fires, MINUTE, passAndSettle, settled } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

const heartbeat = (agent: string, text = 'Water the plants in $AGENT_FOLDER.', name = 'garden') => ({
  [`../home/agents/${agent}/heartbeats/${name}.md`]: text,
})

const begin = (world: World, agent: string, body = {}): Promise<Daemon> =>
  world.ok<Daemon>('POST', `/api/daemons/${agent}/start`, body)

describe.each(storesInTurn(import.meta.filename))('a daemon on %s', (store) => {
  test('reads its heartbeat file in a fresh session at each tick, and is stopped and started again', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: { ...cast('ann'), ...heartbeat('ann') } })
    world.vendor.script(() => ({ text: 'Watered.' }))
    const daemon = await begin(world, 'ann', { intervalSeconds: 600, onlyIf: [] })
    expect(daemon).toMatchObject({
      agent: 'ann',
      heartbeat: 'garden',
      trigger: { status: 'active', name: 'ann/garden' },
    })
    for (let step = 0; step < 2; step += 1) {
      await passAndSettle(world, clock, 10 * MINUTE)
      await atRest(world)
    }
    const ticks = await sessions(world)
    expect(ticks.map(({ mode, status, messageCount }) => [mode, status, messageCount])).toEqual(
      Array(2).fill(['daemon', 'closed', 2]),
    )
    const asked = JSON.stringify(world.vendor.requests.at(-1))
    expect(asked).toContain('Water the plants in')
    expect(asked).toContain(join('agents', 'ann'))

    expect(await world.ok<Daemon>('POST', '/api/daemons/ann/stop')).toMatchObject({ trigger: { status: 'paused' } })
    await passAndSettle(world, clock, 60 * MINUTE)
    expect(await sessions(world)).toHaveLength(2)
    const again = await begin(world, 'ann')
    expect(again.trigger).toMatchObject({ id: daemon.trigger.id, status: 'active', config: { intervalSeconds: 600 } })
    await passAndSettle(world, clock, 10 * MINUTE)
    await atRest(world)
    expect(await sessions(world)).toHaveLength(3)
    const { items } = await world.ok<{ items: Daemon[] }>('GET', '/api/daemons')
    expect(items).toMatchObject([{ agent: 'ann', trigger: { fires: 3 } }])
    const slower = await begin(world, 'ann', { intervalSeconds: 1200 })
    expect(slower.trigger).toMatchObject({ id: daemon.trigger.id, config: { intervalSeconds: 1200 } })
  })

  test('acts on a single event of somebody else, and once', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: { ...cast('ann', 'ben'), ...heartbeat('ann') } })
    world.vendor.script(() => ({ text: 'Seen.' }))
    const { id } = await world.session({ agent: 'ben' })
    const daemon = await begin(world, 'ann', { intervalSeconds: 600, onlyIf: ['event'] })
    const firedByThen = async () => {
      await passAndSettle(world, clock, 10 * MINUTE)
      await atRest(world)
      return (await fires(world, daemon.trigger.id)).filter(({ outcome }) => outcome === 'fired').length
    }
    expect(await firedByThen()).toBe(0)
    await world.ok('PATCH', `/api/sessions/${id}`, { title: 'Another' })
    expect([await firedByThen(), await firedByThen()]).toEqual([1, 1])
  })

  test('skips a tick while the one before is not over, and says so', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: { ...cast('ann'), ...heartbeat('ann') } })
    const gate = Promise.withResolvers<void>()
    world.vendor.script(() => ({ text: 'At last.', delay: gate.promise }))
    const { trigger } = await begin(world, 'ann', { intervalSeconds: 600, onlyIf: [] })
    await passAndSettle(world, clock, 10 * MINUTE)
    const running = await sessionOf(world, 'ann', 'running')
    await passAndSettle(world, clock, 10 * MINUTE)
    const skipped = (await fires(world, trigger.id)).at(-1)!
    expect(skipped).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining(running.handle) })
    const events = (await world.events()).filter(({ type }) => type === 'trigger.skipped')
    expect(events).toMatchObject([{ data: { outcome: 'skipped', reason: skipped.reason } }])
    expect(await world.inbox()).toEqual([])
    const { items } = await world.ok<{ items: Daemon[] }>('GET', '/api/daemons')
    expect(items[0]!.running).toMatchObject({ sessionId: running.id })
    gate.resolve()
    await atRest(world)
    await passAndSettle(world, clock, 10 * MINUTE)
    expect((await fires(world, trigger.id)).map(({ outcome }) => outcome)).toEqual(['fired', 'skipped', 'fired'])
  })

  test('that finds nothing to do keeps out of the person’s lists', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: { ...cast('ann'), ...heartbeat('ann') } })
    world.vendor.queue({ model: 'ann' }, { text: 'HEARTBEAT_OK' }, { text: 'Two plants are dry.' })
    await begin(world, 'ann', { intervalSeconds: 600, onlyIf: [] })
    for (let step = 0; step < 2; step += 1) {
      await passAndSettle(world, clock, 10 * MINUTE)
      await atRest(world)
    }
    expect((await sessions(world)).map(({ lastSnippet }) => lastSnippet)).toEqual(['Two plants are dry.'])
    const all = await world.ok<{ items: Session[] }>('GET', '/api/sessions?hidden=true')
    expect(all.items.map(({ hidden }) => hidden ?? false).toSorted()).toEqual([false, true])
    expect(await world.inbox()).toEqual([])
  })

  test('does not take its own changes of files for news', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: { ...cast('ann'), ...heartbeat('ann'), 'a.txt': 'a' } })
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'write_file', input: { path: 'notes.txt', content: 'Watered.' } }] },
      { text: 'Noted.' },
    )
    const { trigger } = await begin(world, 'ann', { intervalSeconds: 600, onlyIf: ['files'] })
    await passAndSettle(world, clock, 10 * MINUTE)
    expect((await fires(world, trigger.id)).map(({ outcome }) => outcome)).toEqual(['skipped'])
    writeFileSync(join(world.project, 'a.txt'), 'changed')
    await passAndSettle(world, clock, 10 * MINUTE)
    await atRest(world)
    await settled(world)
    await passAndSettle(world, clock, 10 * MINUTE)
    expect((await fires(world, trigger.id)).map(({ outcome }) => outcome)).toEqual(['skipped', 'fired', 'skipped'])
  })

  test('among ten, over a day in which nothing happens, asks no model', { timeout: 300_000 }, async () => {
    const clock = createClock()
    const names = Array.from({ length: 10 }, (_, index) => `keeper-${'abcdefghij'[index]}`)
    const files = Object.assign({}, cast(...names), ...names.map((name) => heartbeat(name)))
    const world = await createWorld({ store, clock, files })
    for (const name of names) await begin(world, name)
    for (let half = 0; half < 48; half += 1) await passAndSettle(world, clock, 30 * MINUTE)
    const { items } = await world.ok<{ items: Daemon[] }>('GET', '/api/daemons')
    expect(items).toHaveLength(10)
    const ledgers = await Promise.all(items.map(({ trigger }) => fires(world, trigger.id)))
    expect(ledgers.map((ledger) => ledger.length)).toEqual(Array(10).fill(48))
    expect(new Set(ledgers.flat().map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(
      new Set(['skipped Nothing is new.']),
    )
    expect(world.vendor.requests).toEqual([])
    expect(await sessions(world)).toEqual([])
  })
})

test('a daemon is refused where it could not tick, with the way out', async () => {
  const world = await createWorld({
    files: {
      ...cast('ann', 'ben', { cas: { modes: { daemon: { enabled: false } } } }),
      ...heartbeat('ben'),
      ...heartbeat('ben', 'Another', 'other'),
      ...heartbeat('cas'),
    },
  })
  const refused = async (agent: string, body = {}) =>
    (await world.request<{ error: { message: string } }>('POST', `/api/daemons/${agent}/start`, body)).body.error
      .message
  expect(await refused('ann')).toContain('The heartbeat "ann" of ann is not there')
  expect(await refused('ben')).toContain('ben has several: garden, other')
  expect(await refused('cas')).toContain('does not work in mode "daemon"')
  expect(await refused('nobody')).toContain('There is no agent "nobody"')
  expect(await refused('ben', { heartbeat: 'garden', cron: '* * * * *', intervalSeconds: 60 })).toContain('cron')
})

test('what a project brings acts only once the person trusts it', async () => {
  const clock = createClock()
  const world = await createWorld({ clock, files: cast('ann') })
  const folder = join(world.project, '.troupe', 'agents', 'eve')
  mkdirSync(join(folder, 'heartbeats'), { recursive: true })
  writeFileSync(join(folder, 'agent.json'), JSON.stringify({ model: 'lab/eve' }))
  writeFileSync(join(folder, 'heartbeats', 'eve.md'), 'Do something.')
  const start = () => world.request<{ error: { message: string } }>('POST', '/api/daemons/eve/start', { onlyIf: [] })
  expect((await start()).body.error.message).toContain('not trusted')
  // Neither does what a person set up act while the project's files are not trusted.
  const made = await world.ok<{ id: string }>('POST', '/api/triggers', {
    type: 'delayed',
    config: { delaySeconds: 60 },
    action: { type: 'send', to: 'ann', message: 'Hi' },
  })
  await passAndSettle(world, clock, MINUTE)
  expect(await fires(world, made.id)).toMatchObject([
    { outcome: 'skipped', reason: expect.stringContaining('not trusted') },
  ])
  expect(world.vendor.requests).toEqual([])
  await world.ok('POST', '/api/trust', { trusted: true })
  expect((await start()).status).toBe(200)
  await passAndSettle(world, clock, 30 * MINUTE)
  await atRest(world)
  expect(world.vendor.requests).toHaveLength(1)
})
