import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../src/contract/api.ts'
import type { Event } from '../../src/contract/events.ts'
import type { Task, TaskBranch } from '../../src/contract/tasks.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, giveTask, heard, sessions, taskBecomes, tasks } from '../kit/records.ts'
import { askPerson, dollar, give, nap, parts, price } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const listed = async (world: World, query = ''): Promise<string[]> =>
  (await world.ok<{ items: Task[] }>('GET', `/api/tasks?${query}`)).items.map(({ input }) => input.prompt)

const refused = async (world: World, method: string, path: string, body?: unknown) => {
  const answer = await world.request<ErrorBody>(method, path, body)
  return [answer.status, answer.body.error.code]
}

describe.each(storesInTurn(import.meta.filename))('tasks that people give on %s', (store) => {
  test('a task is done in a session of its own, and its row says by whom, how and at what cost', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Dig: [
        { calls: [{ name: 'log_write', input: { message: 'Half way.' } }], ...dollar },
        { text: 'Dug.', ...dollar },
      ],
    })
    const more = { priority: 'high', tags: ['yard'], limits: { maxIterations: 9 } }
    const made = await giveTask(world, 'Dig', { ...more, input: { prompt: 'Dig', files: ['yard.md'] } })
    expect(made).toMatchObject({ ...more, agent: 'writer', from: { kind: 'human' }, attempts: 1 })
    // By the time it is read for the answer it may have begun.
    expect(['pending', 'processing']).toContain(made.status)
    const done = await taskBecomes(world, made.id, 'finished')
    expect(done).toMatchObject({
      output: 'Dug.',
      iterations: 2,
      costUsd: 2,
      totalCostUsd: 2,
      tokens: { input: 2_000_000 },
      input: { prompt: 'Dig', files: ['yard.md'] },
    })
    expect(await world.look(done.sessionId)).toMatchObject({ mode: 'task', status: 'closed', taskId: made.id })
    expect(await heard(world, { id: done.sessionId })).toEqual(['Dig\n\nFiles:\n- yard.md'])
    const { items } = await world.ok<{ items: Event[] }>('GET', `/api/tasks/${made.id}/events`)
    const types = items.map(({ type }) => type)
    for (const type of ['task.created', 'task.started', 'model.called', 'tool.started', 'tool.ended', 'task.finished'])
      expect(types).toContain(type)
    expect(items.find(({ type }) => type === 'task.progress')?.data).toMatchObject({ message: 'Half way.' })
  })

  test('the same clientId again, also at the same moment, returns the first task', async () => {
    const world = await createWorld({ store })
    const again = () => giveTask(world, 'Dig', { clientId: 'one' })
    const made = await Promise.all([again(), again(), again()])
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect((await again()).id).toBe(made[0].id)
    await atRest(world)
    expect(await sessions(world)).toHaveLength(1)
  })

  test('limits that no clock and no purse can hold are refused, and the largest are kept as they are', async () => {
    const world = await createWorld({ store })
    const most = { maxIterations: 1e6, maxDurationSeconds: 31_536_000, maxCostUsd: 1e6, maxWaitSeconds: 31_536_000 }
    price(world)
    parts(world, { Nap: [{ calls: [nap] }] })
    const task = await giveTask(world, 'Nap', { limits: most })
    expect((await taskBecomes(world, task.id, 'waiting')).limits).toEqual(most)
    await world.ok('GET', `/api/why/${task.id}`)
    for (const name of Object.keys(most)) {
      const body = { agent: 'writer', input: { prompt: 'Nap' }, limits: { [name]: Number.MAX_SAFE_INTEGER } }
      expect(await refused(world, 'POST', '/api/tasks', body)).toEqual([400, 'request.invalid'])
    }
  })

  test('a NUL that a model writes, into its result or into a task that it gives, is shown and breaks nothing', async () => {
    const world = await createWorld({ store })
    parts(world, { Root: [{ calls: [give('coder', 'Leaf\0')] }, { text: 'a\0b' }] })
    const { id } = await giveTask(world, 'Root')
    expect((await taskBecomes(world, id, 'finished')).output).toBe('a␀b')
    expect((await tasks(world)).map(({ instruction }) => instruction).sort()).toEqual(['Leaf␀', 'Root'])
  })

  test('lists are filtered by status, agent, tag, priority and parent, and come in pages', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Root: [{ calls: [give('coder', 'Leaf', { tags: ['b_c'] })] }, { text: 'Given.' }, { text: 'Done.' }],
      Leaf: [{ text: 'Green.' }],
    })
    const root = await giveTask(world, 'Root', { tags: ['a', 'bxc'], priority: 'low' })
    await taskBecomes(world, root.id, 'finished')
    await giveTask(world, 'Last', { agent: 'nobody' }).catch(() => undefined)
    expect(await listed(world)).toEqual(['Leaf', 'Root'])
    expect(await listed(world, 'agent=coder')).toEqual(['Leaf'])
    expect(await listed(world, 'tag=bxc')).toEqual(['Root'])
    expect(await listed(world, 'tag=b_c')).toEqual(['Leaf'])
    expect(await listed(world, 'priority=low')).toEqual(['Root'])
    expect(await listed(world, 'status=failed')).toEqual([])
    expect(await listed(world, `parent=${root.id}`)).toEqual(['Leaf'])
    expect(await listed(world, `parent=${root.session}`)).toEqual(['Leaf'])
    const first = await world.ok<{ nextCursor: string }>('GET', '/api/tasks?limit=1')
    expect(await listed(world, `limit=1&cursor=${first.nextCursor}`)).toEqual(['Root'])
    const { items, more } = await world.ok<{ items: TaskBranch[]; more: boolean }>('GET', `/api/tasks/${root.id}/tree`)
    expect(items.map(({ input, depth }) => [input.prompt, depth])).toEqual([
      ['Root', 0],
      ['Leaf', 1],
    ])
    expect(more).toBe(false)
    expect(items[1]).toMatchObject({
      parentTaskId: root.id,
      from: { kind: 'agent', agent: 'writer', handle: root.session },
    })
    expect(await refused(world, 'GET', '/api/tasks/task_0')).toEqual([404, 'task.not_found'])
    expect(await refused(world, 'GET', '/api/tasks?status=asleep')).toEqual([400, 'request.invalid'])
    expect(await refused(world, 'GET', '/api/tasks?colour=red')).toEqual([400, 'request.invalid'])
  })

  test('respond answers the one open question; what asks nothing, or for an approval, is a conflict', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Ask: [{ calls: [askPerson] }, { text: 'Thanks.' }],
      Run: [{ calls: [{ name: 'bash', input: { command: 'echo hi' } }] }, { text: 'Ran.' }],
    })
    const asking = await giveTask(world, 'Ask')
    await taskBecomes(world, asking.id, 'waiting')
    const answer = (id: string) => world.request<ErrorBody>('POST', `/api/tasks/${id}/respond`, { message: 'Yes.' })
    expect((await answer(asking.id)).status).toBe(200)
    const done = await taskBecomes(world, asking.id, 'finished')
    expect(await world.results(done.sessionId)).toEqual([{ answer: 'Yes.' }])
    expect(await world.inbox()).toEqual([])
    expect(await answer(asking.id)).toMatchObject({ status: 409, body: { error: { code: 'task.no_question' } } })
    const running = await giveTask(world, 'Run', { agent: 'coder' })
    await taskBecomes(world, running.id, 'waiting')
    expect(await answer(running.id)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('waits for an approval') } },
    })
  })

  test('cancel ends a task with all below it, in whatever state, and the rows stay', async () => {
    const world = await createWorld({ store })
    parts(world, {
      Root: [{ calls: [give('coder', 'Leaf')] }, { text: 'Given.' }, { text: 'Never said.' }],
      Leaf: [{ calls: [nap] }],
    })
    const root = await giveTask(world, 'Root')
    await world.eventually(async () =>
      (await tasks(world)).find(({ instruction, status }) => instruction === 'Leaf' && status === 'waiting'),
    )
    await taskBecomes(world, root.id, 'waiting')
    const canceled = await world.ok<Task>('DELETE', `/api/tasks/${root.id}`)
    expect(canceled).toMatchObject({ status: 'canceled' })
    await atRest(world)
    expect((await tasks(world)).map(({ status }) => status)).toEqual(['canceled', 'canceled'])
    expect((await sessions(world)).map(({ status }) => status)).toEqual(['closed', 'closed'])
    expect(await world.ok<Task>('DELETE', `/api/tasks/${root.id}`)).toMatchObject({ status: 'canceled' })
  })

  test('a session’s token gives, sees and calls off the tasks of that session, and no others', async () => {
    const world = await createWorld({ store })
    parts(world, { Nap: [{ calls: [nap] }], Ask: [{ calls: [askPerson] }, { text: 'Thanks.' }] })
    const own = await world.session()
    const authorization = `Bearer ${world.server.core.tokenOf(own.id)}`
    const call = (method: string, path: string, body?: unknown) =>
      world.call(method, path, { body, headers: { authorization } })
    const others = await giveTask(world, 'Nap')
    const order = { agent: 'coder', input: { prompt: 'Ask' }, clientId: 'one' }
    const mine = (await call('POST', '/api/tasks', order)).json
    expect(mine).toMatchObject({ agent: 'coder', from: { kind: 'agent', agent: 'assistant', handle: own.handle } })
    expect((await call('POST', '/api/tasks', order)).json.id).toBe(mine.id)
    await taskBecomes(world, mine.id, 'waiting')
    expect((await call('GET', '/api/tasks')).json.items.map(({ id }: Task) => id)).toEqual([mine.id])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/tree'],
      ['GET', '/events'],
    ] as const) {
      const answer = await call(method, `/api/tasks/${others.id}${path}`)
      expect([method, path, answer.status]).toEqual([method, path, 404])
    }
    expect((await call('POST', `/api/tasks/${mine.id}/retry`, {})).status).toBe(403)
    expect((await call('POST', '/api/tasks', { ...order, clientId: 'two', unattended: 'allow' })).status).toBe(403)
    expect((await call('POST', `/api/tasks/${mine.id}/respond`, { message: 'Yes.' })).status).toBe(200)
    const done = await taskBecomes(world, mine.id, 'finished')
    expect(await world.results(done.sessionId)).toEqual([
      { answer: 'Yes.', answeredBy: `assistant ${own.handle}, not the person` },
    ])
  })
})
