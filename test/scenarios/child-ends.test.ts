import { describe, expect, test } from 'vitest'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, sessionOf, taskOf, tasks, timesRead } from '../kit/records.ts'
import { dollar, nap, parts, price, spawn, tell } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const free = { wait: false }

describe.each(storesInTurn(import.meta.filename))('how children end on %s', (store) => {
  test('cancel of the parent cancels what it waits for, with its own children, and leaves the others', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('researcher', 'Dig', free), spawn('writer', 'Saw')] }, { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
      Saw: [{ calls: [spawn('coder', 'Cut')] }, { text: 'Never said.' }],
      Cut: [{ calls: [nap] }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await sessionOf(world, 'coder', 'waiting')
    await world.reaches(parent.id, 'waiting')
    await act(world, parent.id, 'cancel')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
    await taskOf(world, 'Cut', 'canceled')
    await taskOf(world, 'Saw', 'canceled')
    await taskOf(world, 'Dig', 'processing')
    gate.resolve()
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Read.')
    await atRest(world)
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
    expect(await notices(world, parent.id)).toHaveLength(1)
    expect(await world.inbox()).toEqual([])
  })

  test('what children had cost when they were stopped is added to their parent', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Saw')] }, { text: 'Never said.' }],
      Close: [{ calls: [spawn('writer', 'Dig', free)] }, { text: 'Given.' }],
      Saw: [{ calls: [nap], ...dollar }, { text: 'Never said.' }],
      Dig: [{ calls: [nap], ...dollar }, { text: 'Never said.' }],
    })
    for (const [content, how, work, rest] of [
      ['Start', 'cancel', 'Saw', 'waiting'],
      ['Close', 'close', 'Dig', 'idle'],
    ] as const) {
      const parent = await world.session()
      await world.send(parent.id, content)
      await taskOf(world, work, 'waiting')
      await world.reaches(parent.id, rest)
      const before = await world.look(parent.id)
      await act(world, parent.id, how)
      await taskOf(world, work, 'canceled')
      await atRest(world)
      const after = await world.look(parent.id)
      expect(after.totalCostUsd - before.totalCostUsd).toBeCloseTo(1)
      expect(after.costUsd).toBe(before.costUsd)
    }
  })

  test('a message ends the wait early, and the result comes as mail', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'I listen.' }, { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    expect(await world.say(parent.id, 'By the way')).toMatchObject({ outcome: 'started', reply: 'I listen.' })
    const { id } = await taskOf(world, 'Dig', 'processing')
    expect(await world.results(parent.id)).toEqual([expect.stringContaining(`Still at work: ${id}`)])
    gate.resolve()
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Read.')
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([
      expect.stringMatching(/^task_\w+ \(writer \w+\) finished\.\nWhat writer \w+ said:\n> Dug\.$/),
    ])
  })

  test('a child that fails says why, to who waits and to who does not', async () => {
    const world = await createWorld({ store })
    const failing = { error: { kind: 'auth' } } as const
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { calls: [spawn('writer', 'Saw', free)] }, { text: 'Oh.' }],
      Dig: [failing],
      Saw: [failing],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await taskOf(world, 'Saw', 'failed')
    await atRest(world)
    const [dig] = await world.results(parent.id)
    expect(dig).toMatchObject({ status: 'failed', error: expect.stringMatching(/\w/) })
    const { error } = dig as { error: string }
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining(error)])
    const log = await world.messages(parent.id)
    expect(log.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))[0]).toMatchObject({
      error: true,
    })
  })

  test.each([
    ['cancels', 'It was canceled.'],
    ['closes', 'The session was closed.'],
    ['deletes', 'Its session was deleted.'],
  ])('a child that a person %s ends as canceled, and its parent goes on', async (how, error) => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Then not.' }],
      Dig: [{ text: 'I began.', calls: [nap] }, { text: 'Never said.' }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    const child = await sessionOf(world, 'writer', 'waiting')
    if (how === 'deletes') await world.ok('DELETE', `/api/sessions/${child.id}`)
    else await act(world, child.id, how.slice(0, -1))
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Then not.' })
    expect(await world.results(parent.id)).toMatchObject([{ status: 'canceled', output: 'I began.', error }])
    if (how !== 'deletes') expect(await world.look(child.id)).toMatchObject({ status: 'closed' })
  })

  test('a pending child can be canceled, and is never begun', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, { calls: [spawn('coder', 'Saw', free)] }, { text: 'Given.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const pending = await taskOf(world, 'Saw', 'pending')
    await act(world, pending.session_id, 'cancel')
    await taskOf(world, 'Saw', 'canceled')
    gate.resolve()
    await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    expect(world.vendor.requests.filter(({ messages }) => messages[0]?.text.includes('Saw'))).toEqual([])
    expect(await notices(world, parent.id)).toHaveLength(2)
  })

  test('mail to a child that has ended cannot be delivered, from anyone', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Dig')] },
        ({ messages }) => ({ calls: [tell(`task:${/task_\w+/.exec(messages.at(-1)!.results[0]!.text)![0]}`, 'More')] }),
        { text: 'I see.' },
      ],
      Dig: [{ text: 'Dug.' }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const [task] = await tasks(world)
    expect((await world.results(parent.id))[1]).toMatch(/has ended its work\. Write to the agent instead: writer/)
    const refused = await world.request('POST', `/api/sessions/${task!.session_id}/messages`, { content: 'More' })
    expect(refused).toMatchObject({ status: 410, body: { error: { code: 'mail.undeliverable' } } })
    expect(await world.messages(task!.session_id)).toHaveLength(2)
  })

  test('mail that a child holds gives it one more round before its result', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Thanks.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }, { text: 'Dug, and in blue.' }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    const child = await sessionOf(world, 'writer', 'running')
    const held = await world.send(child.id, 'In blue, please', { followup: true })
    expect(held).toMatchObject({ outcome: 'held' })
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(parent.id)).toMatchObject([{ status: 'finished', output: 'Dug, and in blue.' }])
    expect(await world.settled(held.mailId)).toMatchObject({ state: 'taken' })
  })

  test('a child with children of its own at work is not done; what they tell goes on with it', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Thanks.' }],
      Dig: [{ calls: [spawn('coder', 'Cut', free)] }, { text: 'It is being cut.' }, { text: 'Cut and dug.' }],
      Cut: [{ text: 'It is cut.', delay: gate.promise }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    const task = await taskOf(world, 'Dig', 'waiting')
    await world.reaches(task.session_id, 'idle')
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(parent.id)).toMatchObject([{ status: 'finished', output: 'Cut and dug.' }])
  })
})
