import { describe, expect, test } from 'vitest'
import type { Why } from '../../src/contract/why.ts'
import { storesInTurn } from '../kit/database.ts'
import { giveTask, taskBecomes } from '../kit/records.ts'
import { askPerson, give, parts } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const why = (world: World, ref: string): Promise<Why> => world.ok<Why>('GET', `/api/why/${ref}`)
const commands = ({ unblock }: Why): string[] => unblock.flatMap(({ command }) => command ?? [])

describe.each(storesInTurn(import.meta.filename))('why a task does not go on, on %s', (store) => {
  test('one that has not begun says what holds the slots, how many come before it, and how to change that', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, { Dig: [{ text: 'Dug.', delay: gate.promise }], Saw: [{ text: 'Sawn.' }], Cut: [{ text: 'Cut.' }] })
    const dig = await giveTask(world, 'Dig')
    await taskBecomes(world, dig.id, 'processing')
    await giveTask(world, 'Saw')
    const cut = await giveTask(world, 'Cut')
    const waits = await why(world, cut.id)
    expect(waits).toMatchObject({ state: 'pending', waitsOn: [{ kind: 'slot' }] })
    expect(waits.text).toContain('has not begun: 1 of 1 tasks run at once, 1 come before it')
    expect(commands(waits)).toContain(`troupe tasks cancel ${cut.id}`)
    const works = await why(world, dig.id)
    expect(works).toMatchObject({ state: 'processing', wakes: { by: 'model' } })
    expect(commands(works)).toContain(`troupe tasks cancel ${dig.id}`)
    gate.resolve()
    await taskBecomes(world, cut.id, 'finished')
  })

  test('one that waits for a task whose agent asks the person names the question', async () => {
    const world = await createWorld({ store })
    parts(world, { Root: [{ calls: [give('coder', 'Ask')] }, { text: 'Given.' }], Ask: [{ calls: [askPerson] }] })
    const root = await giveTask(world, 'Root')
    await taskBecomes(world, root.id, 'waiting')
    await world.eventually(async () => (await world.inbox()).length === 1)
    const waits = await why(world, root.id)
    expect(waits.state).toBe('waiting')
    expect(commands(waits)).toContain(`troupe inbox answer ${(await world.inbox())[0]!.id} "…"`)
  })

  test('one that failed says why, and how it is tried again', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ error: { kind: 'bad-request' } })
    const { id } = await giveTask(world, 'Dig')
    const { error = '' } = await taskBecomes(world, id, 'failed')
    const ended = await why(world, id)
    expect(ended).toMatchObject({ state: 'failed', waitsOn: [] })
    expect(ended.text).toContain(error.slice(0, 40))
    expect(commands(ended)).toContain(`troupe tasks retry ${id}`)
  })
})
