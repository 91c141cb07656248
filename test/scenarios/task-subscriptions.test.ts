import { describe, expect, test } from 'vitest'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, sessionOf, taskOf, tasks } from '../kit/records.ts'
import { askPerson, dollar, give, nap, parts, price, tasksIn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const list = { calls: [{ name: 'task_list', input: {} }] }
const on =
  (name: string, at = -1, more = {}) =>
  (request: SeenRequest) => ({ calls: [{ name, input: { taskId: tasksIn(request).at(at)!, ...more } }] })
const three = cast({ ann: { limits: { maxSpawnDepth: 5 } } }, 'ben', 'cid')

describe.each(storesInTurn(import.meta.filename))('whoever gave a task sees what is below it on %s', (store) => {
  test('and may be told by mail, once, how a task of a task ends, without paying for it twice', async () => {
    const world = await createWorld({ store })
    price(world)
    const [saw, leaf] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    parts(world, {
      Start: [
        { calls: [give('writer', 'Branch')] },
        { text: 'Given.' },
        list,
        on('task_subscribe'),
        on('task_subscribe'),
        { text: 'I follow.' },
        { text: 'I see.' },
      ],
      Branch: [{ calls: [give('coder', 'Leaf')] }, { text: 'Handed on.', delay: saw.promise }, { text: 'Both.' }],
      Leaf: [{ text: 'Green.', delay: leaf.promise, ...dollar }],
    })
    const ann = await world.session()
    await world.say(ann.id, 'Start')
    await taskOf(world, 'Leaf', 'processing')
    expect(await world.say(ann.id, 'Look')).toMatchObject({ reply: 'I follow.' })
    const results = await world.results(ann.id)
    expect(results[1]).toMatchObject({
      tasks: [
        { what: 'Leaf', agent: 'coder' },
        { what: 'Branch', agent: 'writer' },
      ],
    })
    expect(results[2]).toMatchObject({ status: 'processing', note: expect.stringContaining('A message will tell') })
    leaf.resolve()
    await taskOf(world, 'Leaf', 'finished')
    await world.eventually(async () => (await notices(world, ann.id)).length === 1)
    saw.resolve()
    await taskOf(world, 'Branch', 'finished')
    await atRest(world)
    expect(await notices(world, ann.id)).toEqual([expect.stringContaining('Green.'), expect.stringContaining('Both.')])
    expect((await world.look(ann.id)).totalCostUsd).toBeCloseTo(1, 1)
  })

  test('and is answered at once about a task that has ended; others see nothing of it', async () => {
    const world = await createWorld({ store, files: three })
    parts(world, {
      Start: [{ calls: [give('ben', 'Dig')] }, { text: 'Given.' }, on('task_subscribe'), { text: 'Known.' }],
      Dig: [{ text: 'Dug.' }],
    })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Start')
    const dig = await taskOf(world, 'Dig', 'finished')
    await world.eventually(async () => (await world.look(ann.id)).lastSnippet === 'Known.')
    expect((await world.results(ann.id)).at(-1)).toMatchObject({ status: 'finished', output: 'Dug.' })
    await atRest(world)
    expect(await notices(world, ann.id)).toHaveLength(1)
    const calls = ['task_subscribe', 'task_cancel', 'task_respond'].map((name) => ({
      calls: [{ name, input: { taskId: dig.id, ...(name === 'task_respond' ? { message: 'Yes' } : {}) } }],
    }))
    parts(world, { Other: [...calls, list, { text: 'No.' }] })
    const cid = await world.session({ agent: 'cid' })
    await world.say(cid.id, 'Other')
    const results = await world.results(cid.id)
    expect(results.slice(0, 3)).toEqual(calls.map(() => expect.stringContaining('You gave no task')))
    expect(results[3]).toEqual({ tasks: [] })
  })

  test('and answers its question, which is told apart from an answer of the person', async () => {
    const world = await createWorld({ store, files: three })
    parts(world, {
      Start: [
        { calls: [give('ben', 'Ask')] },
        { text: 'Given.' },
        on('task_respond', -1, { message: 'Go on.' }),
        { text: 'Answered.' },
        { text: 'I see.' },
      ],
      Ask: [{ calls: [askPerson] }, { text: 'Thanks.' }],
    })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Start')
    const ask = await taskOf(world, 'Ask', 'waiting')
    await world.say(ann.id, 'It asks')
    await taskOf(world, 'Ask', 'finished')
    expect(await world.results(ask.session_id)).toEqual([
      { answer: 'Go on.', answeredBy: `ann ${ann.handle}, not the person` },
    ])
    expect(await world.inbox()).toEqual([])
  })

  test('and calls it off with all below it', async () => {
    const world = await createWorld({ store, files: three })
    parts(world, {
      Start: [{ calls: [give('ben', 'Branch')] }, { text: 'Given.' }, on('task_cancel', 0), { text: 'Called off.' }],
      Branch: [{ calls: [give('cid', 'Leaf')] }, { text: 'Handed on.' }],
      Leaf: [{ calls: [nap] }],
    })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Start')
    await taskOf(world, 'Leaf', 'waiting')
    await taskOf(world, 'Branch', 'waiting')
    await world.say(ann.id, 'Stop it')
    await taskOf(world, 'Leaf', 'canceled')
    await atRest(world)
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['canceled', 'canceled'])
  })

  test('a subscriber that is gone when the task ends leaves a notice for the person', async () => {
    const world = await createWorld({ store, files: three })
    const leaf = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [give('ben', 'Branch')] }, { text: 'Given.' }],
      Branch: [{ calls: [give('cid', 'Leaf')] }, { text: 'Handed on.' }],
      Leaf: [{ text: 'Green.', delay: leaf.promise }],
    })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Start')
    const { session_id } = await taskOf(world, 'Leaf', 'processing')
    // A promoted session outlives whoever gave it the task.
    await act(world, session_id, 'promote')
    await world.ok('DELETE', `/api/sessions/${(await sessionOf(world, 'ben')).id}`)
    leaf.resolve()
    await taskOf(world, 'Leaf', 'finished')
    await world.eventually(async () => (await world.inbox()).find(({ title }) => title.includes('cid finished')))
    const states = await world.server.core.store.read.selectFrom('subscriptions').select('state').execute()
    expect(states.map(({ state }) => state)).toContain('failed')
  })
})
