import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isDue, keepHouseOrTell } from '../../src/core/server/housekeeping.ts'
import { keepHouse } from '../../src/core/server/retention.ts'
import { archivedOf, droppedOf } from '../../src/store/retention.ts'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { stores } from '../kit/database.ts'
import { giveTask, taskBecomes } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const DAY = 24 * 60 * 60_000

const archive = ({ home }: World): string[] => {
  const folder = join(home, 'archive')
  return existsSync(folder) ? readdirSync(folder) : []
}

const linesIn = ({ home }: World, kind: string): { table: string; [column: string]: unknown }[] =>
  readdirSync(join(home, 'archive'))
    .filter((name) => name.startsWith(`${kind}-`))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(home, 'archive', name)))
        .toString()
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line))

describe.for(stores)('on %s', (store) => {
  test('a session that nobody touched for 90 days is moved to the archive and its handle stays taken', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const old = await world.session()
    await world.say(old.id, 'Remember the milk')
    clock.at += 91 * DAY
    const young = await world.session()
    await world.say(young.id, 'Hello')
    const removed = await keepHouse(world.server.core)
    expect(removed.sessions).toBe(1)
    const lines = linesIn(world, 'sessions')
    expect(lines[0]).toMatchObject({ table: 'sessions', id: old.id })
    expect(lines.filter(({ table }) => table === 'messages').map(({ parts }) => parts)).toEqual([
      expect.stringContaining('Remember the milk'),
      expect.any(String),
    ])
    expect((await world.request('GET', `/api/sessions/${old.id}`)).body).toMatchObject({
      error: { code: 'session.deleted' },
    })
    expect((await world.messages(young.id)).length).toBe(2)
    const { body } = await world.request<{ items: { costUsd: number }[] }>('GET', '/api/cost?by=agent')
    expect(body.items.length).toBe(1)
  })

  test('what is pinned, waits, runs or was just used stays, however old it is', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: cast('ann') })
    const pinned = await world.session({ agent: 'ann' })
    await world.request('PATCH', `/api/sessions/${pinned.id}`, { pinned: true })
    const asking = await world.session({ agent: 'ann' })
    world.vendor.queue({ model: 'ann' }, { calls: [{ name: 'ask_human', input: { question: 'Which?' } }] })
    await world.say(asking.id, 'Ask me')
    clock.at += 91 * DAY
    expect((await keepHouse(world.server.core)).sessions).toBe(0)
    expect((await world.look(asking.id)).status).toBe('waiting')
    expect(archive(world).filter((name) => !name.startsWith('events'))).toEqual([])
  })

  test('tasks that ended 30 days ago are archived with those who were told, and their sessions are not', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock, files: cast('ann', 'ben') })
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'agent_spawn', input: { agent: 'ben', instruction: 'Dig' } }] },
    )
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Have a hole dug')
    clock.at += 31 * DAY
    const removed = await keepHouse(world.server.core)
    expect(removed).toMatchObject({ tasks: 1, sessions: 0 })
    expect(linesIn(world, 'tasks').map(({ table }) => table)).toEqual(['tasks'])
    expect((await world.messages(ann.id)).length).toBeGreaterThan(2)
  })

  test('more sessions than are kept leave by age, and a second look finds nothing to do', async () => {
    const clock = createClock()
    const settings = { storage: { retention: { sessions: { maxCount: 2 } } } }
    const world = await createWorld({ store, clock, settings })
    const ids: string[] = []
    for (let index = 0; index < 4; index++) {
      clock.at += 1000
      const { id } = await world.session()
      await world.say(id, `Number ${index}`)
      ids.push(id)
    }
    expect((await keepHouse(world.server.core)).sessions).toBe(2)
    expect(
      linesIn(world, 'sessions')
        .filter(({ table }) => table === 'sessions')
        .map(({ id }) => id),
    ).toEqual(ids.slice(0, 2))
    const size = sizes(world)
    expect(await keepHouse(world.server.core)).toEqual({ sessions: 0, tasks: 0, events: 0, runs: 0 })
    expect(sizes(world)).toEqual(size)
  })

  test('old events leave from the beginning, and whoever stands before them is told', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const { id } = await world.session()
    await world.say(id, 'Early')
    const first = (await world.events())[0]!
    clock.at += 91 * DAY
    await world.request('PATCH', `/api/sessions/${id}`, { title: 'Late' })
    await world.events()
    const removed = await keepHouse(world.server.core)
    expect(removed.events).toBeGreaterThan(5)
    expect(linesIn(world, 'events').length).toBe(removed.events)
    const left = await world.events()
    expect(left.map(({ type }) => type)).toContain('session.updated')
    expect(left.map(({ type }) => type)).not.toContain('session.created')
    expect((await world.request('GET', `/api/events?after=${first.seq}`)).status).toBe(410)
  })

  test('a budget goes 90 days later, unless its task is there or a question about it is open', async () => {
    const clock = createClock()
    const settings = { storage: { retention: { tasks: { maxAgeDays: 365 } } } }
    const world = await createWorld({ store, clock, settings })
    const { read, write } = world.server.core.store
    const { id: task } = await giveTask(world, 'Dig')
    await taskBecomes(world, task, 'finished')
    const row = { limit_nanos: 1, raised_nanos: 0, spent_nanos: 1, stopped_at: null, created_at: clock.now() }
    const rows = [
      { ...row, id: 'day:2026-01-01', reserved_nanos: 0, inbox_id: null },
      { ...row, id: 'turn:turn_gone', reserved_nanos: 0, inbox_id: null },
      { ...row, id: 'day:asked', reserved_nanos: 0, inbox_id: 'inbox_1' },
      { ...row, id: 'day:reserved', reserved_nanos: 1, inbox_id: null },
      { ...row, id: `task:${task}`, reserved_nanos: 0, inbox_id: null },
    ]
    await write((db) => db.insertInto('budgets').values(rows).execute())
    const kept = async () => (await read.selectFrom('budgets').select('id').orderBy('id').execute()).map(({ id }) => id)
    clock.at += 89 * DAY
    await keepHouse(world.server.core)
    expect(await kept()).toHaveLength(5)
    clock.at += 2 * DAY
    await keepHouse(world.server.core)
    expect(await kept()).toEqual(['day:asked', 'day:reserved', `task:${task}`])
  })

  test('the log of a session that a person deleted goes a week later, without a copy', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    const { id } = await world.session()
    await world.say(id, 'Forget this')
    await world.request('DELETE', `/api/sessions/${id}`)
    const { read } = world.server.core.store
    const left = () => read.selectFrom('messages').selectAll().where('session_id', '=', id).execute()
    await keepHouse(world.server.core)
    expect((await left()).length).toBe(2)
    clock.at += 8 * DAY
    await keepHouse(world.server.core)
    expect(await left()).toEqual([])
    expect(archive(world).filter((name) => name.startsWith('sessions'))).toEqual([])
  })
})

test('what could not be archived is told once in the inbox, stays where it is, and is tried again', async () => {
  const clock = createClock()
  const world = await createWorld({ clock })
  const old = await world.session()
  await world.say(old.id, 'Hello')
  clock.at += 91 * DAY
  writeFileSync(join(world.home, 'archive'), 'not a folder')
  for (const _ of [1, 2]) await keepHouseOrTell(world.server.core)
  expect(await world.inbox()).toMatchObject([
    { kind: 'notice', title: 'Old rows could not be archived', body: expect.stringContaining('troupe logs') },
  ])
  expect((await world.messages(old.id)).length).toBe(2)
  rmSync(join(world.home, 'archive'))
  await keepHouseOrTell(world.server.core)
  expect((await world.request('GET', `/api/sessions/${old.id}`)).status).not.toBe(200)
})

test('the house is kept once a day, and not days later because the clock was set back', () => {
  expect([undefined, 0, 1, DAY].map((last) => isDue(last, DAY))).toEqual([true, true, false, false])
  expect(isDue(10 * DAY, DAY)).toBe(true)
})

test('a backup is made before the first row leaves, and none where nothing leaves', async () => {
  const clock = createClock()
  const world = await createWorld({ store: 'sqlite', clock })
  const { id } = await world.session()
  await world.say(id, 'Hello')
  const backups = () => (existsSync(join(world.home, 'backups')) ? readdirSync(join(world.home, 'backups')).length : 0)
  await keepHouse(world.server.core)
  expect(backups()).toBe(0)
  clock.at += 91 * DAY
  await keepHouse(world.server.core)
  expect(backups()).toBe(1)
})

test('every table with rows of a session leaves with it, or is known to stay', async () => {
  const world = await createWorld({ store: 'sqlite' })
  const { read } = world.server.core.store
  const { tables } = await read.introspection.getTables().then((found) => ({
    tables: found.filter(({ columns }) => columns.some(({ name }) => name === 'session_id')).map(({ name }) => name),
  }))
  /** Money is counted for ever; events, tasks, triggers and runs have their own time; with timers or reservations a session stays. */
  const stays = [
    ...['requests', 'events', 'tasks', 'subscriptions', 'timers', 'reservations', 'trigger_fires'],
    ...['runs', 'workers'],
  ]
  expect(tables.filter((name) => !stays.includes(name)).sort()).toEqual(
    [...Object.keys(archivedOf), ...droppedOf].sort(),
  )
})

const sizes = (world: World) =>
  archive(world)
    .filter((name) => !name.startsWith('events'))
    .map((name) => [name, statSync(join(world.home, 'archive', name)).size])
