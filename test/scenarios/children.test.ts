import { describe, expect, test } from 'vitest'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, sessionOf, sessions, taskOf, tasks, timesRead } from '../kit/records.ts'
import { ask, askPerson, nap, parts, spawn, tasksIn, waitFor } from '../kit/script.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }

/** A notice has come and is not read yet. */
const unread = (world: World, session: string) =>
  world.eventually(
    async () => (await world.ok<{ items: unknown[] }>('GET', `/api/mail?session=${session}`)).items.length === 1,
  )

describe.each(storesInTurn(import.meta.filename))('the end of a child is learnt once on %s', (store) => {
  test.each<[string, (gate: Promise<void>) => Reply | ((request: SeenRequest) => Reply)]>([
    ['in the middle of its turn', (delay) => ({ text: 'On its way.', delay })],
    [
      'that has just decided to wait for it when it ends',
      (delay) => (request) => ({ calls: [waitFor(tasksIn(request))], delay }),
    ],
  ])('by a parent %s', async (_, second) => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, second(gate.promise), { text: 'Read.' }],
      Dig: [{ text: 'Dug.' }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await taskOf(world, 'Dig', 'finished')
    await unread(world, parent.id)
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Read.' })
    await atRest(world)
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
  })

  test('by a parent that waits for another child: the wait ends early, and the other tells by mail', async () => {
    const world = await createWorld({ store })
    const [dig, saw] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, { calls: [spawn('writer', 'Saw')] }, { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: dig.promise }],
      Saw: [{ text: 'Sawn.', delay: saw.promise }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    dig.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Read.' })
    expect((await world.results(parent.id)).at(-1)).toMatch(
      /interrupted by a message.* Still at work: task_\w+ \(writer /,
    )
    saw.resolve()
    await world.eventually(async () => (await timesRead(world, parent.id, 'Sawn.')) > 0)
    await atRest(world)
    expect([await timesRead(world, parent.id, 'Dug.'), await timesRead(world, parent.id, 'Sawn.')]).toEqual([1, 1])
  })

  test.each([
    ['a person', { calls: [askPerson] }],
    ['another agent', { calls: [ask('researcher', 'What is it?')] }],
  ])('by a parent that waits for %s, after that', async (_, wait) => {
    const world = await createWorld({ store })
    const [dig, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, wait, { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: dig.promise }],
      'What is it?': [{ text: 'This.', delay: answer.promise }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    dig.resolve()
    await taskOf(world, 'Dig', 'finished')
    await unread(world, parent.id)
    expect(await world.look(parent.id)).toMatchObject({ status: 'waiting' })
    const [item] = await world.inbox()
    if (item) await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'This.' })
    answer.resolve()
    await world.eventually(async () => (await world.settled(mail.mailId)).end === 'done')
    await atRest(world)
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
    expect(await timesRead(world, parent.id, 'This.')).toBe(1)
  })

  test('by a paused parent, when it is resumed', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, { text: 'On its way.' }, { text: 'Read.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await act(world, parent.id, 'pause')
    gate.resolve()
    await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(0)
    await act(world, parent.id, 'resume')
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Read.')
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
  })

  test.each([true, false])('by a parent over a restart (it waits: %s)', async (wait) => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', { wait })] }, { text: 'Next.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.send(parent.id, 'Start')
    await world.reaches(parent.id, wait ? 'waiting' : 'idle')
    await world.restart()
    gate.resolve()
    await world.eventually(async () => (await timesRead(world, parent.id, 'Dug.')) > 0)
    await atRest(world)
    await world.restart()
    await atRest(world)
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
    expect(await tasks(world)).toHaveLength(1)
  })

  test('by a closed parent, which it opens again; only a promoted child is left to do so', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Dig', free), spawn('researcher', 'Saw', free)] },
        { text: 'Given.' },
        { text: 'Read.' },
      ],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
      Saw: [{ calls: [spawn('coder', 'Cut')] }, { text: 'Never said.' }],
      Cut: [{ calls: [nap] }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await sessionOf(world, 'coder', 'waiting')
    const kept = (await sessions(world)).find(({ agent }) => agent === 'writer')!
    await act(world, kept.id, 'promote')
    await act(world, parent.id, 'close')
    await sessionOf(world, 'coder', 'closed')
    await sessionOf(world, 'researcher', 'closed')
    await world.eventually(async () => (await tasks(world)).filter(({ status }) => status === 'canceled').length === 2)
    // What was closed with it does not open it again.
    expect(await world.look(parent.id)).toMatchObject({ status: 'closed' })
    expect(await notices(world, parent.id)).toEqual([])
    expect(await world.inbox()).toEqual([])
    gate.resolve()
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Read.')
    expect(await timesRead(world, parent.id, 'Dug.')).toBe(1)
    expect(await world.look(kept.id)).toMatchObject({ status: 'idle', mode: 'chat' })
    expect(await world.say(kept.id, 'Still there?')).toMatchObject({ end: 'done' })
  })

  test('by the person, when the parent was deleted', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free), spawn('coder', 'Saw', free)] }, { text: 'Given.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
      Saw: [{ calls: [nap] }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const kept = await sessionOf(world, 'writer', 'running')
    await act(world, kept.id, 'promote')
    await sessionOf(world, 'coder', 'waiting')
    await world.ok('DELETE', `/api/sessions/${parent.id}`)
    await taskOf(world, 'Saw', 'canceled')
    gate.resolve()
    await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    expect(await world.inbox()).toMatchObject([
      { kind: 'notice', title: expect.stringMatching(/^writer finished/), body: expect.stringContaining('Dug.') },
    ])
  })
})
