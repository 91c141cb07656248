import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard, notices, sessions, taskOf, tasks } from '../kit/records.ts'
import { give, nap, parts, price } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('tasks that agents give on %s', (store) => {
  test('an agent gives work with files, context, tags and limits, goes on, and is told once how it ended', async () => {
    const world = await createWorld({ store })
    const order = { priority: 'high', tags: ['yard', 'yard'], limits: { maxIterations: 7, maxWaitSeconds: 100_000 } }
    const input = { prompt: 'Dig a hole', files: ['yard.md'], context: 'It is wet.' }
    parts(world, {
      Start: [{ calls: [give('writer', '', { ...order, input })] }, { text: 'Given.' }, { text: 'I see.' }],
      Dig: [{ text: 'Dug.' }],
    })
    const parent = await world.session()
    expect(await world.say(parent.id, 'Start')).toMatchObject({ reply: 'Given.' })
    await world.eventually(async () => (await world.look(parent.id)).lastSnippet === 'I see.')
    await atRest(world)
    const [task] = await tasks(world)
    expect(task).toMatchObject({
      status: 'finished',
      output: 'Dug.',
      from_kind: 'agent',
      owner_session_id: parent.id,
      priority: 'high',
      tags: '["yard"]',
      max_iterations: 7,
      // The settings have no more patience than this.
      max_wait_ms: 3_600_000,
    })
    expect(await world.look(task!.session_id)).toMatchObject({
      mode: 'task',
      status: 'closed',
      parentSessionId: parent.id,
    })
    expect(await heard(world, { id: task!.session_id })).toEqual([
      'Dig a hole\n\nFiles:\n- yard.md\n\nContext:\nIt is wet.',
    ])
    expect(await notices(world, parent.id)).toEqual([expect.stringContaining('Dug.')])
  })

  test('a task below another asks for less than that one has, never for more', async () => {
    const world = await createWorld({ store })
    price(world)
    const most = { maxIterations: 9, maxDurationSeconds: 90, maxCostUsd: 2, maxWaitSeconds: 60 }
    const more = { maxIterations: 10, maxDurationSeconds: 100, maxCostUsd: 3, maxWaitSeconds: 70 }
    const less = { maxIterations: 8, maxDurationSeconds: 80, maxCostUsd: 1, maxWaitSeconds: 50 }
    parts(world, {
      Start: [
        {
          calls: [
            give('writer', 'Ask more', { limits: more }),
            give('writer', 'Less', { limits: less }),
            give('writer', 'None'),
          ],
        },
        { text: 'Given.' },
      ],
      Ask: [{ text: 'A.' }],
      Less: [{ text: 'B.' }],
      None: [{ text: 'C.' }],
    })
    await world.ok('POST', '/api/tasks', { agent: 'coder', input: { prompt: 'Start' }, limits: most })
    await atRest(world)
    const limits = Object.fromEntries(
      (await tasks(world)).map((task) => [
        task.instruction,
        [task.max_iterations, task.max_duration_ms! / 1000, task.max_cost_usd, task.max_wait_ms / 1000],
      ]),
    )
    expect(limits).toEqual({
      Start: Object.values(most),
      'Ask more': Object.values(most),
      Less: Object.values(less),
      // The money of the task above counts for it in any case.
      None: [9, 90, null, 60],
    })
  })

  test('it is done in the folder of its agent, not in that of whoever gave it', async () => {
    const files = { ...cast('ann', { ben: { workspace: { path: 'shed' } } }), 'shed/spade.md': 'A spade.' }
    const world = await createWorld({ store, files })
    parts(world, { Start: [{ calls: [give('ben', 'Dig')] }, { text: 'Given.' }], Dig: [{ text: 'Dug.' }] })
    await world.say((await world.session({ agent: 'ann' })).id, 'Start')
    const task = await taskOf(world, 'Dig', 'finished')
    expect((await world.look(task.session_id)).workspace).toBe(realpathSync(join(world.project, 'shed')))
  })

  test('closing whoever gave it ends it', async () => {
    const world = await createWorld({ store })
    parts(world, { Start: [{ calls: [give('writer', 'Dig')] }, { text: 'Given.' }], Dig: [{ calls: [nap] }] })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await taskOf(world, 'Dig', 'waiting')
    await act(world, parent.id, 'close')
    expect(await taskOf(world, 'Dig', 'canceled')).toMatchObject({ error: expect.stringContaining('by its parent') })
  })

  test('what a tick gives stands alone: the tick ends at once and is told nothing', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Tick: [{ calls: [give('writer', 'Dig')] }, { text: 'Given.' }, { text: 'Never said.' }],
      Dig: [{ text: 'Dug.', delay: gate.promise }],
    })
    const tick = await world.session({ mode: 'daemon' })
    await world.say(tick.id, 'Tick')
    await world.reaches(tick.id, 'closed')
    gate.resolve()
    await taskOf(world, 'Dig', 'finished')
    await atRest(world)
    expect((await world.look(tick.id)).lastSnippet).toBe('Given.')
    expect(await world.inbox()).toEqual([])
  })

  test('an agent that may not be reached, or a skill that nobody knows, gets nothing', async () => {
    const files = cast({ ann: { agents: { allow: ['ben'] } } }, 'ben', 'cid')
    const world = await createWorld({ store, files })
    const skilled = give('ben', '', { input: { prompt: 'Dig', skill: 'digging' } })
    parts(world, { Start: [{ calls: [give('cid', 'Dig'), skilled] }, { text: 'No.' }] })
    const ann = await world.session({ agent: 'ann' })
    await world.say(ann.id, 'Start')
    expect((await world.results(ann.id)).toSorted()).toEqual([
      expect.stringContaining('You may not give tasks to cid'),
      expect.stringContaining('input.skill: ben has no skill "digging"'),
    ])
    expect(await sessions(world)).toHaveLength(1)
  })
})
