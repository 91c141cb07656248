import { describe, expect, test } from 'vitest'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, taskOf, tasks, timesRead } from '../kit/records.ts'
import { parts, spawn, tasksIn, waitFor } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }
const status = (taskId: string) => ({ name: 'task_status', input: { taskId } })
const gates = () => [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const

/** A parent that gives two tasks, one a step, and then does what `then` says. */
function twoTasks(world: World, then: readonly ((request: SeenRequest) => object)[]) {
  const [dig, saw] = gates()
  parts(world, {
    Start: [
      { calls: [spawn('writer', 'Dig', free)] },
      { calls: [spawn('coder', 'Saw', free)] },
      ...then,
      { text: 'Read.' },
    ],
    Dig: [{ text: 'Dug.', delay: dig.promise }],
    Saw: [{ text: 'Sawn.', delay: saw.promise }],
  })
  return { dig, saw }
}
const waiting =
  (more = {}) =>
  (request: SeenRequest) => ({ calls: [waitFor(tasksIn(request).slice(0, 2), more)] })
const last = async (world: World, session: string) => (await world.results(session)).at(-1)

describe.each(storesInTurn(import.meta.filename))('tasks on %s', (store) => {
  test('task_status tells how a task stands, while it runs and when it has ended', async () => {
    const world = await createWorld({ store })
    const [dig, begun] = gates()
    const asking = (request: SeenRequest) => ({ calls: [status(tasksIn(request)[0]!)] })
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'Dig', free)] },
        (request) => ({ ...asking(request), delay: begun.promise }),
        { text: 'Busy.' },
        asking,
        { text: 'Done.' },
      ],
      Dig: [{ text: 'Dug.', delay: dig.promise }],
    })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    const task = await taskOf(world, 'Dig', 'processing')
    begun.resolve()
    await world.settled(mail.mailId)
    expect(await last(world, parent.id)).toMatchObject({ taskId: task.id, agent: 'writer', status: 'processing' })
    expect(await last(world, parent.id)).not.toHaveProperty('output')
    dig.resolve()
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'Done.')
    expect(await last(world, parent.id)).toMatchObject({ taskId: task.id, status: 'finished', output: 'Dug.' })
  })

  test('a task of somebody else, or of nobody, is neither shown nor waited for', async () => {
    const world = await createWorld({ store })
    parts(world, { Mine: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Dug.' }], Dig: [{ text: 'A secret.' }] })
    await world.say((await world.session()).id, 'Mine')
    const [task] = await tasks(world)
    const tries = [status(task!.id), status('task_0'), waitFor([task!.id]), waitFor(['task_0'])]
    parts(world, { Yours: [...tries.map((call) => ({ calls: [call] })), { text: 'No.' }] })
    const other = await world.session()
    expect(await world.say(other.id, 'Yours')).toMatchObject({ reply: 'No.' })
    expect(await world.results(other.id)).toEqual(tries.map(() => expect.stringMatching(/^You gave no task "task_/)))
  })

  test('task_wait until all have ended gives the results of all, and none comes again as mail', async () => {
    const world = await createWorld({ store })
    const { dig, saw } = twoTasks(world, [waiting()])
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    saw.resolve()
    await taskOf(world, 'Saw', 'finished')
    expect((await world.look(parent.id)).status).toBe('waiting')
    dig.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Read.' })
    expect(await last(world, parent.id)).toMatchObject({
      tasks: [
        { agent: 'writer', status: 'finished', output: 'Dug.' },
        { agent: 'coder', status: 'finished', output: 'Sawn.' },
      ],
    })
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([])
  })

  test('task_wait until any has ended gives that one; the other comes as mail', async () => {
    const world = await createWorld({ store })
    const { dig, saw } = twoTasks(world, [waiting({ until: 'any' })])
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    saw.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Read.' })
    expect(await last(world, parent.id)).toMatchObject({ tasks: [{ status: 'processing' }, { output: 'Sawn.' }] })
    dig.resolve()
    await world.eventually(async () => (await notices(world, parent.id)).length > 0)
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('Dug.')])
  })

  test('task_wait ends at its time with what is known then; the rest comes as mail, also over a restart', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const { dig, saw } = twoTasks(world, [waiting({ timeout: 60 })])
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    dig.resolve()
    await taskOf(world, 'Dig', 'finished')
    now += 61_000
    await world.restart()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Read.' })
    expect(await last(world, parent.id)).toMatchObject({ tasks: [{ output: 'Dug.' }, { status: 'processing' }] })
    saw.resolve()
    await world.eventually(async () => (await notices(world, parent.id)).length > 0)
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('Sawn.')])
  })

  test('task_wait for what has ended gives it at once, as often as it is asked', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig')] }, waiting(), waiting(), { text: 'Read.' }],
      Dig: [{ text: 'Dug.' }],
    })
    const parent = await world.session()
    expect(await world.say(parent.id, 'Start')).toMatchObject({ reply: 'Read.' })
    const [, ...waited] = await world.results(parent.id)
    expect(waited).toMatchObject([{ tasks: [{ output: 'Dug.' }] }, { tasks: [{ output: 'Dug.' }] }])
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([])
  })

  test('a failed task is a result of task_wait, not a failure of it', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, waiting(), { text: 'Read.' }],
      Dig: [{ error: { kind: 'auth' } }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await atRest(world)
    // By then it may have failed already, and have said so by mail.
    const log = JSON.stringify(await world.messages(parent.id))
    expect(await last(world, parent.id)).toMatchObject({ tasks: [{ status: 'failed', error: expect.any(String) }] })
    expect(log).not.toContain('"error":true')
  })

  test('a message ends task_wait early; it may wait again, and learns each end once', async () => {
    const world = await createWorld({ store })
    const { dig, saw } = twoTasks(world, [waiting(), waiting()])
    const parent = await world.session()
    await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    const mail = await world.send(parent.id, 'How is it going?')
    expect(mail).toMatchObject({ outcome: 'started' })
    await world.eventually(async () =>
      /interrupted by a message.*Still at work/.test(String(await last(world, parent.id))),
    )
    await world.reaches(parent.id, 'waiting')
    dig.resolve()
    saw.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Read.' })
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([])
    expect([await timesRead(world, parent.id, 'Dug.'), await timesRead(world, parent.id, 'Sawn.')]).toEqual([1, 1])
  })

  test('cancel of a session that waits for tasks leaves them at work, and they tell by mail', async () => {
    const world = await createWorld({ store })
    const { dig, saw } = twoTasks(world, [waiting()])
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    await world.reaches(parent.id, 'waiting')
    await act(world, parent.id, 'cancel')
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'canceled' })
    dig.resolve()
    saw.resolve()
    await world.eventually(async () => (await notices(world, parent.id)).length === 2)
    await atRest(world)
    expect((await tasks(world)).map((task) => task.status)).toEqual(['finished', 'finished'])
    expect([await timesRead(world, parent.id, 'Dug.'), await timesRead(world, parent.id, 'Sawn.')]).toEqual([1, 1])
  })
})
