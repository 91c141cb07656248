import { expect, test } from 'vitest'
import { troupe, troupeEnds } from '../../../test/kit/program.ts'
import { taskBecomes, tasks } from '../../../test/kit/records.ts'
import { askPerson, give, nap, parts, price } from '../../../test/kit/script.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'

const inJson = async (world: World, ...words: string[]) => JSON.parse(await troupe(world, ...words, '--json'))

test('a task is given, listed, shown and followed to its end', async () => {
  const world = await createWorld()
  price(world)
  parts(world, { Dig: [{ text: 'Dug.' }] })
  const options = ['--tag', 'yard', '--tag', 'wet', '--file', 'yard.md', '--priority', 'high', '--max-cost', '2.5']
  const made = await inJson(world, 'tasks', 'create', 'writer', 'Dig', 'a', 'hole', ...options, '--max-iterations', '9')
  expect(made).toMatchObject({
    tags: ['yard', 'wet'],
    priority: 'high',
    input: { prompt: 'Dig a hole', files: ['yard.md'] },
    limits: { maxCostUsd: 2.5, maxIterations: 9 },
  })
  expect(await troupeEnds(world, 'tasks', 'watch', made.id)).toMatchObject({ code: 0, out: 'Dug.\n' })
  const short = made.id.slice('task_'.length, 'task_'.length + 8)
  expect(await troupe(world, 'tasks')).toMatch(new RegExp(`${short} +writer +finished +high +Dig a hole +human`))
  expect(await troupe(world, 'tasks', '--tag', 'dry')).toContain('No task yet')
  const shown = await troupe(world, 'tasks', 'show', short)
  expect(shown).toContain('maxIterations 9')
  expect(shown).toContain('Dug.')
  expect(await troupeEnds(world, 'tasks', 'create', 'writer', 'Dig', '--watch')).toMatchObject({
    code: 0,
    out: 'Dug.\n',
  })
})

test('whoever watches a task that waits for them, or for whom one below it waits, is told how to answer', async () => {
  const world = await createWorld()
  parts(world, {
    Ask: [{ calls: [askPerson] }, { text: 'Thanks.' }],
    Root: [{ calls: [give('coder', 'Ask')] }, { text: 'Given.' }, { text: 'All done.' }],
  })
  const { id } = await inJson(world, 'tasks', 'create', 'writer', 'Root')
  const waits = await troupeEnds(world, 'tasks', 'watch', id)
  expect(waits).toMatchObject({ code: 4, out: '' })
  expect(waits.err).toContain('Sure?')
  const tree = await inJson(world, 'tasks', 'tree', id)
  expect(await troupe(world, 'tasks', 'tree', id)).toMatch(/\n {2}\w{8} +coder +waiting +Ask/)
  expect(await troupe(world, 'tasks', 'respond', tree.items[1].id, 'Quite sure')).toContain('Answered')
  expect(await troupeEnds(world, 'tasks', 'watch', id)).toMatchObject({ code: 0, out: 'All done.\n' })
  expect(await troupeEnds(world, 'tasks', 'respond', id, 'Again')).toMatchObject({ code: 1 })
  expect(await troupe(world, 'tasks', 'cancel', id)).toContain('had ended before: it is finished')
})

test('a task is called off, which its watcher sees as failed, and tried again clean', async () => {
  const world = await createWorld()
  let naps = true
  parts(world, { Nap: [() => (naps ? { calls: [nap] } : { text: 'Rested.' })] })
  const { id } = await inJson(world, 'tasks', 'create', 'writer', 'Nap')
  await taskBecomes(world, id, 'waiting')
  const watching = troupeEnds(world, 'tasks', 'watch', id)
  expect(await troupe(world, 'tasks', 'cancel', id)).toContain('is told to stop')
  expect(await watching).toMatchObject({ code: 1, err: expect.stringContaining('canceled') })
  naps = false
  expect(await troupe(world, 'tasks', 'retry', id, '--clean')).toContain('for the 2. time')
  expect(await troupeEnds(world, 'tasks', 'watch', id)).toMatchObject({ code: 0, out: 'Rested.\n' })
  expect((await tasks(world)).map(({ attempts }) => attempts)).toEqual([2])
})

test('what cannot be meant is said before anything is asked of the server', async () => {
  const world = await createWorld()
  expect(await troupeEnds(world, 'tasks', 'create', 'writer', 'Dig', '--max-cost', 'lots')).toMatchObject({ code: 2 })
  expect(await troupeEnds(world, 'tasks', '--limit', '0')).toMatchObject({ code: 2 })
  const many = await troupeEnds(world, 'tasks', '--limit', '201')
  expect(many).toMatchObject({ code: 2, err: expect.stringContaining('--limit is 200 at most') })
  const unknown = await troupeEnds(world, 'tasks', 'show', 'beef')
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('No task begins with "beef"') })
})
