import { describe, expect, test } from 'vitest'
import type { Why } from '../../src/contract/why.ts'
import { findSession } from '../../src/store/sessions.ts'
import { updateTask } from '../../src/store/tasks.ts'
import { act } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, notices, sessionOf, taskOf, tasks } from '../kit/records.ts'
import { askPerson, nap, parts, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }
const one = { limits: { maxConcurrentTasks: 1 } }
/** No two moments are the same, so that what was made first is older. */
const ticking = () => {
  let now = Date.now()
  return { now: () => ++now }
}
const gates = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, Promise.withResolvers<void>()])) as Record<
    Name,
    PromiseWithResolvers<void>
  >
/** A parent that gives these, one a step. */
const giving = (...work: string[]) => [
  ...work.map((instruction) => ({ calls: [spawn('writer', instruction, free)] })),
  { text: 'All given.' },
]
const statuses = async (world: World) =>
  Object.fromEntries((await tasks(world)).map(({ instruction, status }) => [instruction, status]))
const becomes = (world: World, wanted: Record<string, string>) =>
  world.eventually(async () => {
    const now = await statuses(world)
    return Object.entries(wanted).every(([name, status]) => now[name] === status)
  })
const why = (world: World, ref: string) => world.ok<Why>('GET', `/api/why/${ref}`)
const begun = (world: World, word: string) =>
  world.vendor.requests.filter(({ messages }) => messages[0]?.text.includes(word)).length
const slot = { kind: 'slot', ref: 'limits.maxConcurrentTasks', label: '1 of 1 tasks run at once' }

describe.each(stores)('slots of tasks on %s', (store) => {
  test('tasks that go on take a slot as those that begin do, the oldest first, and say what they wait for', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('One', 'Two', 'Three')
    const asks = (name: keyof typeof gate) => [
      { calls: [askPerson] },
      { text: `Did ${name}.`, delay: gate[name].promise },
    ]
    parts(world, {
      Start: giving('One', 'Two', 'Three'),
      One: asks('One'),
      Two: asks('Two'),
      Three: asks('Three'),
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    // None of them holds a slot while it waits for the person.
    await becomes(world, { One: 'waiting', Two: 'waiting', Three: 'waiting' })
    const answer = async (name: string) => {
      const { session_id } = (await tasks(world)).find(({ instruction }) => instruction === name)!
      const item = (await world.inbox()).find(({ waits }) => waits[0]?.sessionId === session_id)
      await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'Yes.' })
      return session_id
    }
    await answer('One')
    await becomes(world, { One: 'processing' })
    for (const ref of [await answer('Three'), await answer('Two'), (await taskOf(world, 'Two', 'waiting')).id]) {
      const seen = await world.eventually(async () => {
        const now = await why(world, ref)
        return now.waitsOn[0]?.kind === 'slot' && now
      })
      expect(seen).toMatchObject({ waitsOn: [slot], wakes: { by: 'task' } })
      expect(seen.text).toContain('waits for a free slot')
    }
    expect(await statuses(world)).toEqual({ One: 'processing', Two: 'waiting', Three: 'waiting' })
    gate.One.resolve()
    await becomes(world, { One: 'finished', Two: 'processing' })
    expect(await statuses(world)).toMatchObject({ Three: 'waiting' })
    expect(begun(world, 'Three')).toBe(1)
    await world.restart()
    await becomes(world, { Two: 'processing', Three: 'waiting' })
    gate.Two.resolve()
    await becomes(world, { Two: 'finished', Three: 'processing' })
    gate.Three.resolve()
    await becomes(world, { Three: 'finished' })
    await atRest(world)
    expect(await notices(world, parent.id)).toHaveLength(3)
  })

  test('a message to a child that waits is read when a slot is free for it, and until then nothing fails', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('Saw')
    parts(world, {
      Start: giving('Dig', 'Saw'),
      Dig: [{ calls: [nap] }, { text: 'Dug in blue.' }],
      Saw: [{ text: 'Sawn.', delay: gate.Saw.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'waiting')
    await becomes(world, { Saw: 'processing' })
    const mail = await world.send(session_id, 'In blue')
    expect(mail).toMatchObject({ outcome: 'started' })
    await world.eventually(async () => (await why(world, session_id)).waitsOn[0]?.kind === 'slot')
    gate.Saw.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Dug in blue.' })
    await becomes(world, { Dig: 'finished', Saw: 'finished' })
  })

  test('pending tasks begin by priority, and among equals by age', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('First')
    const priorities = { Usual: 'normal', Idle: 'low', Urgent: 'high', Pressing: 'high', Other: 'normal' } as const
    parts(world, {
      Start: giving('First', ...Object.keys(priorities)),
      First: [{ text: 'One.', delay: gate.First.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    await world.server.core.store.write(async (db) => {
      for (const task of await db.selectFrom('tasks').selectAll().where('status', '=', 'pending').execute())
        await updateTask(db, task.id, { priority: priorities[task.instruction as keyof typeof priorities] })
    })
    const last = (await tasks(world)).find(({ instruction }) => instruction === 'Idle')!
    expect((await why(world, last.id)).text).toContain('4 come before it')
    gate.First.resolve()
    await becomes(world, { Idle: 'finished' })
    const order = (await tasks(world)).toSorted((a, b) => a.started_at! - b.started_at!)
    expect(order.map(({ instruction }) => instruction)).toEqual([
      'First',
      'Urgent',
      'Pressing',
      'Usual',
      'Other',
      'Idle',
    ])
    await atRest(world)
  })

  test('a pending child that a person paused does not begin until it is resumed, and holds up nobody', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('Dig')
    parts(world, {
      Start: giving('Dig', 'Saw', 'Cut'),
      Dig: [{ text: 'Dug.', delay: gate.Dig.promise }],
      Saw: [{ text: 'Sawn.' }],
      Cut: [{ text: 'Cut.' }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Saw', 'pending')
    await act(world, session_id, 'pause')
    gate.Dig.resolve()
    await becomes(world, { Dig: 'finished', Cut: 'finished' })
    await world.restart()
    await atRest(world)
    expect(await statuses(world)).toMatchObject({ Saw: 'pending' })
    expect(begun(world, 'Saw')).toBe(0)
    expect(await why(world, session_id)).toMatchObject({ state: 'paused', wakes: { by: 'person' } })
    await act(world, session_id, 'resume')
    await becomes(world, { Saw: 'finished' })
  })

  test('a child that is paused gives its slot back, and takes one when it is resumed', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('Dig')
    parts(world, {
      Start: giving('Dig', 'Saw'),
      Dig: [{ calls: [askPerson] }, { text: 'Dug.' }],
      Saw: [{ text: 'Sawn.', delay: gate.Dig.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'waiting')
    await sessionOf(world, 'writer', 'running')
    const saw = await taskOf(world, 'Saw', 'processing')
    await act(world, saw.session_id, 'pause')
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'Yes.' })
    gate.Dig.resolve()
    await becomes(world, { Dig: 'finished', Saw: 'waiting' })
    expect((await world.look(session_id)).status).toBe('closed')
    await act(world, saw.session_id, 'resume')
    await becomes(world, { Saw: 'finished' })
  })

  test('a child that is paused before anybody has begun it waits, and begins when it is resumed', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTurns: 1 } } })
    const gate = gates('Start')
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, { text: 'Given.', delay: gate.Start.promise }],
      Dig: [{ text: 'Dug.' }],
    })
    await world.send((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'pending')
    await act(world, session_id, 'pause')
    expect(await statuses(world)).toEqual({ Dig: 'pending' })
    gate.Start.resolve()
    await atRest(world)
    expect(begun(world, 'Dig')).toBe(0)
    await act(world, session_id, 'resume')
    await becomes(world, { Dig: 'finished' })
  })

  test('a child that is resumed while its own children work waits on, and holds no slot', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 2 } } })
    const gate = gates('Cut')
    parts(world, {
      Start: giving('Dig'),
      Dig: [{ calls: [spawn('coder', 'Cut', free)] }, { text: 'It is being cut.' }, { text: 'Cut and dug.' }],
      Cut: [{ text: 'Cut.', delay: gate.Cut.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'waiting')
    await world.reaches(session_id, 'idle')
    await act(world, session_id, 'pause')
    await act(world, session_id, 'resume')
    const { read } = world.server.core.store
    await world.eventually(async () => (await findSession(read, session_id))?.wanted_at === null)
    expect(await statuses(world)).toEqual({ Dig: 'waiting', Cut: 'processing' })
    gate.Cut.resolve()
    expect(await taskOf(world, 'Dig', 'finished')).toMatchObject({ output: 'Cut and dug.' })
  })

  test('a child that stands in line can be canceled at once', async () => {
    const world = await createWorld({ store, settings: one, clock: ticking() })
    const gate = gates('Saw')
    parts(world, {
      Start: giving('Dig', 'Saw'),
      Dig: [{ calls: [nap] }, { text: 'Never said.' }],
      Saw: [{ text: 'Sawn.', delay: gate.Saw.promise }],
    })
    await world.say((await world.session()).id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'waiting')
    await becomes(world, { Saw: 'processing' })
    await world.send(session_id, 'In blue')
    await world.eventually(async () => (await why(world, session_id)).waitsOn[0]?.kind === 'slot')
    await act(world, session_id, 'cancel')
    await becomes(world, { Dig: 'canceled', Saw: 'processing' })
    expect(begun(world, 'Dig')).toBe(1)
    gate.Saw.resolve()
    await atRest(world)
  })
})
