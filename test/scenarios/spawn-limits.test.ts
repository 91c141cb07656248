import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, taskOf, tasks } from '../kit/records.ts'
import { dollar, parts, price, spawn, tell } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const free = { wait: false }

describe.each(storesInTurn(import.meta.filename))('what children may use up on %s', (store) => {
  test('a child has no more time than its parent has left', async () => {
    let now = Date.now()
    const world = await createWorld({
      store,
      clock: { now: () => now },
      settings: { limits: { maxDurationSeconds: 100 } },
    })
    const passing = (seconds: number, reply: object) => () => {
      now += seconds * 1000
      return reply
    }
    const look = { calls: [{ name: 'list_dir', input: { path: '.' } }] }
    parts(world, {
      Start: [passing(70, { calls: [spawn('writer', 'Work')] }), { text: 'Too slow.' }],
      Work: [passing(20, look), passing(20, look), { text: 'Never said.' }],
    })
    const parent = await world.session()
    expect(await world.say(parent.id, 'Start')).toMatchObject({ end: 'done', reply: 'Too slow.' })
    const [{ error }] = (await world.results(parent.id)) as [{ error: string }]
    expect(error).toContain('limits.maxDurationSeconds')
    expect(error).toContain('30 s')
  })

  test('what children cost is added to the turn and the session of their parent, and counts against its limit', async () => {
    const world = await createWorld({ store, settings: { limits: { maxCostUsd: 5 } } })
    price(world)
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer')], ...dollar }, { text: 'Never said.' }],
      Outer: [
        { calls: [spawn('writer', 'Inner')], ...dollar },
        { text: 'Two.', ...dollar },
      ],
      Inner: [{ text: 'One.', ...dollar }],
      Later: [
        { calls: [spawn('writer', 'Slow', free)], ...dollar },
        { text: 'Given.', ...dollar },
        { text: 'Read.', ...dollar },
      ],
      Slow: [{ text: 'Slowly.', delay: gate.promise, ...dollar }],
    })
    const waiting = await world.session()
    const asked = await world.say(waiting.id, 'Start')
    await world.ok('POST', `/api/inbox/${asked.waits?.[0]?.inboxId}/answer`, { answer: 'stop' })
    const reply = await world.settled(asked.mailId)
    const spent = { costUsd: 1, totalCostUsd: 4, unpricedTokens: 0 }
    expect(reply).toMatchObject({ end: 'limit', ...spent, reason: expect.stringContaining('limits.maxCostUsd') })
    expect(await world.look(waiting.id)).toMatchObject(spent)
    expect(await world.results(waiting.id)).toMatchObject([{ status: 'finished', costUsd: 2, totalCostUsd: 3 }])
    expect(world.vendor.requests.filter(({ messages }) => messages[0]?.text.includes('Start'))).toHaveLength(1)

    const told = await world.session()
    expect(await world.say(told.id, 'Later')).toMatchObject({ end: 'done', costUsd: 2 })
    gate.resolve()
    await world.eventually(async () => (await world.look(told.id)).lastSnippet === 'Read.')
    const ended = (await world.events(told.id)).findLast(({ type }) => type === 'turn.ended')
    expect(ended?.data).toMatchObject({ costUsd: 1, totalCostUsd: 2 })
    expect(await world.look(told.id)).toMatchObject({ costUsd: 3, totalCostUsd: 4 })
  })

  test('above the limit children are pending and start by themselves, also after a restart', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 2 } } })
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    parts(world, {
      Start: [{ calls: gates.map((_, at) => spawn('writer', `Work${at}`, free)) }, { text: 'All given.' }],
      ...Object.fromEntries(gates.map(({ promise }, at) => [`Work${at}`, [{ text: `Did ${at}.`, delay: promise }]])),
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const statuses = async () => (await tasks(world)).map(({ status }) => status).toSorted()
    expect(await statuses()).toEqual(['pending', 'pending', 'pending', 'processing', 'processing'])
    const at = async (status: string) =>
      (await tasks(world)).filter((task) => task.status === status).map((task) => Number(task.instruction.slice(-1)))
    const release = async (count: number) => {
      for (const work of (await at('processing')).slice(0, count)) gates[work]!.resolve()
    }
    await release(1)
    await world.eventually(async () => (await statuses()).join() === 'finished,pending,pending,processing,processing')
    await world.restart()
    expect(await statuses()).toEqual(['finished', 'pending', 'pending', 'processing', 'processing'])
    await release(2)
    await world.eventually(async () => (await at('finished')).length === 3 && (await at('pending')).length === 0)
    for (const gate of gates) gate.resolve()
    await world.eventually(async () => (await at('finished')).length === 5)
    await atRest(world)
    expect(await notices(world, parent.id)).toHaveLength(5)
  })

  test('a child that waits for a child of its own holds no slot', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Outer')] }, { text: 'Thanks.' }],
      Outer: [{ calls: [spawn('writer', 'Inner')] }, { text: 'Outer done.' }],
      Inner: [{ text: 'Inner done.' }],
    })
    const parent = await world.session()
    expect(await world.say(parent.id, 'Start')).toMatchObject({ end: 'done', reply: 'Thanks.' })
    expect(await world.results(parent.id)).toMatchObject([{ status: 'finished', output: 'Outer done.' }])
  })

  test('mail to a pending child waits with it and does not jump the queue', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'First', free)] },
        { calls: [spawn('coder', 'Second', free)] },
        ({ messages }) => ({
          calls: [tell(`task:${/task_\w+/.exec(messages.at(-1)!.results[0]!.text)![0]}`, 'In blue')],
        }),
        { text: 'Given.' },
      ],
      First: [{ text: 'One.', delay: gate.promise }],
      Second: [{ text: 'Two, in blue.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    expect((await world.results(parent.id)).at(-1)).toMatchObject({ outcome: 'queued' })
    const pending = await taskOf(world, 'Second', 'pending')
    expect(await world.send(pending.session_id, 'Hurry')).toMatchObject({ outcome: 'queued' })
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['processing', 'pending'])
    gate.resolve()
    await taskOf(world, 'Second', 'finished')
    const read = (await world.messages(pending.session_id)).filter(({ role }) => role === 'user')
    expect(read.map(({ parts }) => parts[0])).toMatchObject([
      { text: 'Second' },
      { text: 'In blue' },
      { text: 'Hurry' },
    ])
    await atRest(world)
    expect(await notices(world, parent.id)).toHaveLength(2)
  })
})
