import { describe, expect, test } from 'vitest'
import { transact } from '../../src/core/base/index.ts'
import { keepHouse } from '../../src/core/server/retention.ts'
import { removeTasks } from '../../src/store/retention.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, giveTask, notices, taskBecomes, taskOf, tasks } from '../kit/records.ts'
import { askPerson, give, parts } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const DAY = 24 * 60 * 60_000

const archived = async ({ server }: World): Promise<number> => (await keepHouse(server.core)).tasks

describe.for(storesInTurn(import.meta.filename))('old tasks on %s', (store) => {
  test('a task stays as long as one below it does, and then the whole tree is archived', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    parts(world, {
      Root: [{ calls: [give('coder', 'Leaf')] }, { text: 'Given.' }],
      Leaf: [{ calls: [askPerson] }, { text: 'Green.' }],
    })
    const root = await giveTask(world, 'Root')
    const leaf = await taskOf(world, 'Leaf', 'waiting')
    await taskBecomes(world, root.id, 'waiting')
    await world.ok('DELETE', `/api/tasks/${root.id}`)
    await taskBecomes(world, leaf.id, 'canceled')
    clock.at += 25 * DAY
    await world.ok('POST', `/api/tasks/${leaf.id}/retry`)
    await taskBecomes(world, leaf.id, 'finished')
    clock.at += 10 * DAY
    expect(await archived(world)).toBe(0)
    clock.at += 30 * DAY
    expect(await archived(world)).toBe(2)
    expect(await tasks(world)).toEqual([])
  })

  test('a session that goes on after its task was archived gives tasks as before', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    parts(world, { Root: [{ text: 'Done.' }, { calls: [give('coder', 'Leaf')] }, { text: 'Given.' }] })
    const { id, sessionId } = await giveTask(world, 'Root')
    await taskBecomes(world, id, 'finished')
    clock.at += 31 * DAY
    expect(await archived(world)).toBe(1)
    await world.say(sessionId, 'One thing more')
    expect(await taskOf(world, 'Leaf', 'finished')).toMatchObject({ owner_session_id: sessionId, parent_task_id: null })
  })

  test('whoever is to be told how a task ends stays until then, also when the task went its own way', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    parts(world, {
      Root: [{ calls: [give('coder', 'Leaf')] }, { text: 'Given.' }, { text: 'Noted.' }],
      Leaf: [{ calls: [askPerson] }, { text: 'Green.' }],
    })
    const root = await world.session()
    await world.say(root.id, 'Root')
    const leaf = await taskOf(world, 'Leaf', 'waiting')
    await world.ok('POST', `/api/sessions/${leaf.session_id}/promote`)
    await world.ok('POST', `/api/sessions/${root.id}/close`)
    clock.at += 91 * DAY
    expect((await keepHouse(world.server.core)).sessions).toBe(0)
    await world.ok('POST', `/api/tasks/${leaf.id}/respond`, { message: 'Yes.' })
    await taskBecomes(world, leaf.id, 'finished')
    await atRest(world)
    expect(await notices(world, root.id)).toContainEqual(expect.stringContaining('Green.'))
    clock.at += 91 * DAY
    expect(await keepHouse(world.server.core)).toMatchObject({ sessions: 2, tasks: 1 })
  })

  test('a task that a person has tried again since it was looked for stays', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    parts(world, { Ask: [{ calls: [askPerson] }] })
    const { id } = await giveTask(world, 'Ask')
    await taskBecomes(world, id, 'waiting')
    await world.ok('DELETE', `/api/tasks/${id}`)
    await taskBecomes(world, id, 'canceled')
    clock.at += 31 * DAY
    await world.ok('POST', `/api/tasks/${id}/retry`)
    await transact(world.server.core, 'test', async (tx) => {
      expect(await removeTasks(tx.db, [id], clock.at)).toBe(0)
    })
    expect(await tasks(world)).toHaveLength(1)
  })
})
