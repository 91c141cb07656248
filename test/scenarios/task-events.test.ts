import { describe, expect, test } from 'vitest'
import { act } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, taskOf } from '../kit/records.ts'
import { nap, parts, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(stores)('the record on %s', (store) => {
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
