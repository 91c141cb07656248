import { describe, expect, test } from 'vitest'
import { foldTask } from '../../src/client/fold-task.ts'
import type { Event } from '../../src/contract/events.ts'
import type { Task } from '../../src/contract/tasks.ts'
import { act } from '../kit/cast.ts'
import { settleEvents, storesInTurn } from '../kit/database.ts'
import { atRest, giveTask, taskBecomes, taskOf } from '../kit/records.ts'
import { dollar, nap, parts, price, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('the record on %s', (store) => {
  test('folds into the task that the server shows: given, failed, tried again and finished', async () => {
    const world = await createWorld({ store })
    price(world)
    const gate = Promise.withResolvers<void>()
    let fails = true
    parts(world, {
      Saw: [
        () => ({ calls: [{ name: 'list_dir', input: {} }], delay: gate.promise, ...dollar }),
        () => (fails ? { error: { kind: 'auth' } } : { text: 'Sawn.', ...dollar }),
      ],
    })
    const given = await giveTask(world, 'Saw')
    gate.resolve()
    await taskBecomes(world, given.id, 'failed')
    fails = false
    await world.ok('POST', `/api/tasks/${given.id}/retry`)
    const last = await taskBecomes(world, given.id, 'finished')
    await settleEvents(world.server.core.store)
    const { items } = await world.ok<{ items: Event[] }>('GET', `/api/tasks/${given.id}/events?limit=200`)
    const shown = ({ output: _, iterations: __, ...task }: Task) => task
    expect(shown(items.reduce(foldTask, given))).toEqual(shown(last))
    const before = items.slice(
      0,
      items.findIndex(({ type }) => type === 'task.retried'),
    )
    expect(before.reduce(foldTask, given)).toMatchObject({ status: 'failed', error: expect.any(String), costUsd: 1 })
  })

  test('says of each task how it ended, why, and what it cost', async () => {
    const world = await createWorld({ store })
    const given = ['Dig', 'Saw', 'Nap'].map((work) => ({ calls: [spawn('writer', work, { wait: false })] }))
    parts(world, {
      Start: [...given, { text: 'Given.' }],
      Dig: [{ text: 'Dug.' }],
      Saw: [{ error: { kind: 'auth' } }],
      Nap: [{ calls: [nap] }],
    })
    await world.say((await world.session()).id, 'Start')
    const [dug, sawn] = [await taskOf(world, 'Dig', 'finished'), await taskOf(world, 'Saw', 'failed')]
    const napping = await taskOf(world, 'Nap', 'waiting')
    await act(world, napping.session_id, 'cancel')
    await taskOf(world, 'Nap', 'canceled')
    await atRest(world)
    const ends = (await world.events()).filter(({ type }) => /^task\.(finished|failed|canceled)$/.test(type))
    const told = Object.fromEntries(ends.map(({ type, data }) => [data.taskId, { type, ...data }]))
    const spent = { costUsd: 0, totalCostUsd: 0, unpricedTokens: expect.any(Number) }
    expect(told).toEqual({
      [dug.id]: { type: 'task.finished', taskId: dug.id, ...spent },
      [sawn.id]: { type: 'task.failed', taskId: sawn.id, reason: sawn.error, ...spent },
      [napping.id]: { type: 'task.canceled', taskId: napping.id, reason: 'It was canceled.', ...spent },
    })
  })
})
