import { describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../src/contract/api.ts'
import type { Task } from '../../src/contract/tasks.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, giveTask, heard, notices, taskBecomes, taskOf } from '../kit/records.ts'
import { dollar, give, nap, parts, price } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const broken = { error: { kind: 'bad-request' } } as const
const look = { calls: [{ name: 'glob', input: { pattern: '*' } }] }

describe.each(storesInTurn(import.meta.filename))('a task that did not come to a good end on %s', (store) => {
  test('is tried again in its session, which reads why it failed, and says how often it was begun', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(look, broken)
    const task = await giveTask(world, 'Dig')
    const failed = await taskBecomes(world, task.id, 'failed')
    world.vendor.reply({ text: 'Dug.' })
    await world.ok('POST', `/api/sessions/${failed.sessionId}/close`)
    const again = await world.ok<Task>('POST', `/api/tasks/${task.id}/retry`)
    expect(await world.look(failed.sessionId)).not.toHaveProperty('closedAt')
    expect(again).toMatchObject({ attempts: 2, sessionId: failed.sessionId })
    expect(again).not.toHaveProperty('error')
    expect(await taskBecomes(world, task.id, 'finished')).toMatchObject({ output: 'Dug.', attempts: 2 })
    const [, told] = await heard(world, { id: failed.sessionId })
    expect(told).toContain('A person has this task tried again. It was failed.')
    expect(told).toContain(failed.error)
    const once = await world.request<ErrorBody>('POST', `/api/tasks/${task.id}/retry`)
    expect([once.status, once.body.error.code]).toEqual([409, 'task.state'])
  })

  test('is tried clean: its session begins from the input again, and what was spent stays spent', async () => {
    const world = await createWorld({ store })
    price(world)
    world.vendor.reply({ ...look, ...dollar }, broken)
    const task = await giveTask(world, 'Dig')
    await taskBecomes(world, task.id, 'failed')
    world.vendor.reply({ text: 'Dug.', ...dollar })
    await world.ok('POST', `/api/tasks/${task.id}/retry`, { clean: true })
    const done = await taskBecomes(world, task.id, 'finished')
    expect(done).toMatchObject({ output: 'Dug.', costUsd: 2 })
    expect(world.vendor.requests.at(-1)!.messages.map(({ text }) => text)).toEqual([expect.stringMatching(/Dig$/)])
  })

  test('is tried again with the limits that it is given then; model calls count anew, money does not', async () => {
    const world = await createWorld({ store })
    price(world)
    parts(world, {
      Dig: [
        { ...look, ...dollar },
        { ...look, ...dollar },
        { text: 'Dug.', ...dollar },
      ],
    })
    const task = await giveTask(world, 'Dig', { limits: { maxIterations: 1 } })
    expect(await taskBecomes(world, task.id, 'failed')).toMatchObject({
      error: expect.stringContaining('its limit of 1 model calls'),
      iterations: 1,
    })
    await world.ok('POST', `/api/tasks/${task.id}/retry`, { limits: { maxIterations: 9, maxCostUsd: 2 } })
    const item = await world.eventually(async () =>
      (await world.inbox()).find(({ title }) => title.includes(`the task ${task.id}`)),
    )
    await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'stop' })
    expect(await taskBecomes(world, task.id, 'failed')).toMatchObject({
      error: expect.stringContaining('the limit of 2.00 USD for the task'),
      costUsd: 2,
    })
    await world.ok('POST', `/api/tasks/${task.id}/retry`, { limits: { maxCostUsd: 9 } })
    expect(await taskBecomes(world, task.id, 'finished')).toMatchObject({ output: 'Dug.', attempts: 3, costUsd: 3 })
  })

  test('was given by an agent: the agent is told of each end', async () => {
    const world = await createWorld({ store })
    let broke = true
    parts(world, {
      Start: [{ calls: [give('writer', 'Dig')] }, { text: 'Given.' }, { text: 'I see.' }],
      Dig: [() => (broke ? broken : { text: 'Dug.' })],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const { id } = await taskOf(world, 'Dig', 'failed')
    await atRest(world)
    broke = false
    await world.ok('POST', `/api/tasks/${id}/retry`, { clean: true })
    await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    expect(await notices(world, parent.id)).toEqual([
      expect.stringContaining('failed.'),
      expect.stringContaining('Dug.'),
    ])
  })

  test('and whose session was deleted cannot be tried again', async () => {
    const world = await createWorld({ store })
    parts(world, { Nap: [{ calls: [nap] }] })
    const task = await giveTask(world, 'Nap')
    const { sessionId } = await taskBecomes(world, task.id, 'waiting')
    await world.ok('DELETE', `/api/sessions/${sessionId}`)
    await taskBecomes(world, task.id, 'canceled')
    const answer = await world.request<ErrorBody>('POST', `/api/tasks/${task.id}/retry`)
    expect([answer.status, answer.body.error.code]).toEqual([410, 'session.deleted'])
  })
})
