import { describe, expect, test } from 'vitest'
import type { Why } from '../../src/contract/why.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, mails, notices, taskOf, tasks } from '../kit/records.ts'
import { ask, askPerson, nap, parts, spawn, tasksIn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World, type WorldOptions } from '../kit/world.ts'

const free = { wait: false }

/** A world whose time a test moves. */
async function timed(options: WorldOptions) {
  let now = Date.now()
  const world = await createWorld({ ...options, clock: { now: () => now } })
  return {
    world,
    passing: (seconds: number, reply: object) => () => {
      now += seconds * 1000
      return reply
    },
    /** What is due by then is done. */
    later(seconds: number) {
      now += seconds * 1000
      world.server.core.alarm(0)
    },
  }
}

const childOf = async (world: World, instruction: string) =>
  (await tasks(world)).find((task) => task.instruction === instruction)!

describe.each(storesInTurn(import.meta.filename))('the limits of a task on %s', (store) => {
  test('a summary that is too long is cut, and the rest can be read; it is not asked for again', async () => {
    const world = await createWorld({ store })
    const long = Array.from({ length: 1500 }, (_, at) => `word${at}`).join(' ')
    const looking = (request: SeenRequest, more = {}) => ({
      calls: [{ name: 'task_status', input: { taskId: tasksIn(request)[0], ...more } }],
    })
    const reading = (request: SeenRequest) => {
      const shown = [...JSON.stringify(request.messages).matchAll(/task_status with offset (\d+)/g)]
      return looking(request, { offset: Number(shown.at(-1)![1]) })
    }
    parts(world, {
      Start: [
        { calls: [spawn('researcher', 'Dig', { returnMode: 'summary' })] },
        looking,
        reading,
        reading,
        { text: 'Read.' },
      ],
      Dig: [{ text: `All: ${long}` }, { text: long }],
    })
    const parent = await world.session()
    expect(await world.say(parent.id, 'Start')).toMatchObject({ reply: 'Read.' })
    const [given, again, ...rest] = (await world.results(parent.id)) as { status: string; output: string }[]
    expect(given!.status).toBe('finished')
    expect(again!.output).toBe(given!.output)
    const note = /\n\[\d+ more characters; task_status with offset \d+ shows them\]$/
    expect(given!.output.replace(note, '')).toBe(long.slice(0, 2000))
    expect([given!, ...rest].map(({ output }) => output.replace(note, '')).join('')).toBe(long)
    expect(world.vendor.requests.filter(({ messages }) => messages[0]?.text.includes('Dig'))).toHaveLength(2)
  })

  test('the time of a child is for all its turns together', async () => {
    const { world, passing } = await timed({ store, settings: { limits: { maxDurationSeconds: 100 } } })
    const gate = Promise.withResolvers<void>()
    const look = { calls: [{ name: 'list_dir', input: { path: '.' } }] }
    parts(world, {
      Start: [passing(70, { calls: [spawn('writer', 'Work', free)] }), { text: 'Given.' }],
      Work: [
        passing(20, { calls: [spawn('coder', 'Cut', free)] }),
        { text: 'It is being cut.' },
        passing(20, look),
        { text: 'Never said.' },
      ],
      Cut: [{ text: 'Cut.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await taskOf(world, 'Work', 'waiting')
    gate.resolve()
    const { error } = await taskOf(world, 'Work', 'failed')
    expect(error).toContain('30 s of work in all its turns (limits.maxDurationSeconds)')
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('30 s of work')])
  })

  test.each([
    ['for a child', { calls: [spawn('coder', 'Inner')] }],
    ['between its turns', { calls: [spawn('coder', 'Inner', free)] }],
    ['for an answer', { calls: [ask('coder', 'Inner')] }],
    ['for a timer', { calls: [nap] }],
  ])('a task that waits %s longer than it may fails, and says so to whoever gave it', async (_, first) => {
    const { world, later } = await timed({ store, settings: { limits: { maxWaitSeconds: 60 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer', free)] }, { text: 'Given.' }, { text: 'Then not.' }],
      Outer: [{ text: 'I began.', ...first }, { text: 'It is under way.' }, { text: 'Never said.' }],
      Inner: [{ text: 'Too late.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const { session_id } = await taskOf(world, 'Outer', 'waiting')
    later(59)
    expect((await world.ok<Why>('GET', `/api/why/${session_id}`)).state).not.toBe('closed')
    await world.restart()
    later(2)
    const { error } = await taskOf(world, 'Outer', 'failed')
    expect(error).toBe('It waited 60 s for other agents or a timer, which is the most (limits.maxWaitSeconds).')
    expect(await world.look(session_id)).toMatchObject({ status: 'closed' })
    // Nobody is waited for any more.
    expect((await mails(world)).filter(({ ask_state }) => ask_state === 'open')).toEqual([])
    // Its child ends with it, by an errand: until that is done, an answer would still count.
    if ((await childOf(world, 'Inner')) !== undefined) await taskOf(world, 'Inner', 'canceled')
    gate.resolve()
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Then not.')
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('limits.maxWaitSeconds')])
    expect(await world.server.core.store.read.selectFrom('timers').select('id').execute()).toEqual([])
  })

  test('the time that a task may wait begins anew when it has gone on', async () => {
    const { world, later } = await timed({ store, settings: { limits: { maxWaitSeconds: 60 } } })
    const short = { name: 'sleep', input: { seconds: 40 } }
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer', free)] }, { text: 'Given.' }, { text: 'Good.' }],
      Outer: [{ calls: [short] }, { calls: [short] }, { text: 'Slept well.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const slept = async () => (await world.results((await childOf(world, 'Outer')).session_id)).length
    await taskOf(world, 'Outer', 'waiting')
    later(41)
    await world.eventually(async () => (await slept()) === 1)
    await taskOf(world, 'Outer', 'waiting')
    later(41)
    expect(await taskOf(world, 'Outer', 'finished')).toMatchObject({ output: 'Slept well.' })
    await atRest(world)
  })

  test('a task that waits for a person, or that a person paused, waits as long as that takes', async () => {
    const { world, later } = await timed({ store, settings: { limits: { maxWaitSeconds: 60 } } })
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Ask', free)] },
        { calls: [spawn('writer', 'Rest', free)] },
        { text: 'Given.' },
      ],
      Ask: [{ calls: [askPerson] }, { text: 'Asked.' }],
      Rest: [{ calls: [nap] }, { text: 'Rested.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await taskOf(world, 'Ask', 'waiting')
    const { session_id } = await taskOf(world, 'Rest', 'waiting')
    await world.ok('POST', `/api/sessions/${session_id}/pause`)
    later(100_000)
    await atRest(world)
    await world.restart()
    await atRest(world)
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['waiting', 'waiting'])
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'Yes.' })
    expect(await taskOf(world, 'Ask', 'finished')).toMatchObject({ output: 'Asked.' })
  })

  test.each([
    ['in its turn for a child', spawn('coder', 'Inner')],
    ['after its turn for a child', spawn('coder', 'Inner', free)],
    ['for the answer of a session', ask('coder', 'Inner')],
  ])('a task that waits %s that waits for a person waits as long as that takes', async (_, call) => {
    const { world, later } = await timed({ store, settings: { limits: { maxWaitSeconds: 60 } } })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer', free)] }, { text: 'Given.' }],
      Outer: [{ calls: [call] }, { text: 'So be it.' }, { text: 'And done.' }],
      Inner: [{ calls: [askPerson] }, { text: 'Asked.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const item = await world.eventually(async () => (await world.inbox())[0])
    const { id, session_id } = await taskOf(world, 'Outer', 'waiting')
    const due = async () =>
      (await world.server.core.store.read.selectFrom('timers').selectAll().where('ref', '=', id).execute())[0]?.due_at
    const before = await due()
    later(61)
    await world.eventually(async () => (await due()) !== before)
    expect(await taskOf(world, 'Outer', 'waiting')).toMatchObject({ session_id })
    await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'Yes.' })
    await taskOf(world, 'Outer', 'finished')
    await atRest(world)
  })

  test('children made with fewer tools are one generation each, and the fourth is refused', async () => {
    const world = await createWorld({ store })
    const deeper = (instruction: string) => [
      { calls: [spawn('coder', instruction, { tools: ['*'] })] },
      { text: 'Ok.' },
    ]
    parts(world, {
      Start: deeper('First'),
      First: deeper('Second'),
      Second: deeper('Third'),
      Third: deeper('Fourth'),
    })
    await world.say((await world.session()).id, 'Start')
    await atRest(world)
    expect((await tasks(world)).map(({ instruction, status }) => [instruction, status])).toEqual(
      ['First', 'Second', 'Third'].map((name) => [name, 'finished']),
    )
    expect(await world.results((await childOf(world, 'Third')).session_id)).toEqual([
      expect.stringContaining('A child here would be 4 deep; 3 is the most (limits.maxSpawnDepth).'),
    ])
  })
})
