import { expect, test } from 'vitest'
import { troupe, troupeEnds, troupeHears } from '../../../test/kit/program.ts'
import { parts } from '../../../test/kit/script.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'
import { transact } from '../../core/base/index.ts'
import { notifyProject } from '../../core/inbox/index.ts'

const tell = (world: World, ...ids: string[]) =>
  transact(world.server.core, 'test', async (tx) => {
    for (const id of ids)
      await notifyProject(tx, world.server.core.project.id, { id: `inbox_${id}`, title: `News of ${id}`, body: '' })
  })

async function asked() {
  const world = await createWorld()
  parts(world, { Ask: [{ calls: [{ name: 'ask_human', input: { question: 'Red or green?' } }] }, { text: 'Done.' }] })
  const { id } = await world.session()
  await world.send(id, 'Ask')
  await world.reaches(id, 'waiting')
  return { world, id }
}

test('the inbox is listed by kind and by agent, and several notices are put away at once', async () => {
  const { world } = await asked()
  await tell(world, 'aa', 'bb', 'cc')
  const lines = async (...words: string[]) => (await troupe(world, 'inbox', ...words)).split('\n')
  expect((await lines('--kind', 'notice')).filter((line) => line.includes('News of'))).toHaveLength(3)
  const [head, ...rest] = await lines('--agent', 'assistant')
  expect(head).toMatch(/^ID +KIND +FROM +WHAT +WHEN$/)
  expect(rest.filter((line) => /News|Red/.test(line))).toEqual([expect.stringContaining('Red or green?')])
  expect(await lines('--kind', 'approval')).toContain('Nothing of that waits for you.')
  expect(await troupeEnds(world, 'inbox', '--kind', 'letter')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/question/),
  })
  expect(await lines('dismiss', 'aa', 'bb')).toEqual(['✓ News of aa: dismissed.', '✓ News of bb: dismissed.', ''])
  expect((await world.inbox()).map(({ title }) => title)).toEqual(['News of cc', 'Red or green?'])
  expect((await lines('--all'))[0]).toMatch(/WHAT +STATUS +WHEN$/)
})

test('what the list prints as the id of an item is what is asked about, also where it begins like that of something else', async () => {
  const { world, id } = await asked()
  await tell(world, 'run_ab12cd34_1', 'trigger_ab12_missed', 'changed_ab12', 'ab12cd34ef')
  const items = await world.inbox()
  expect(items).toHaveLength(5)
  const listed = (await troupe(world, 'inbox')).split('\n').slice(1, 1 + items.length)
  for (const [at, row] of listed.entries())
    expect(JSON.parse(await troupe(world, 'why', row.split(' ')[0]!, '--json'))).toMatchObject({ ref: items[at]!.id })
  expect(JSON.parse(await troupe(world, 'why', id.slice(0, 8), '--json'))).toMatchObject({ ref: id })
  for (const ref of ['run_ab12cd34_2', 'ffffffff', 'changed_ff'])
    expect(await troupeEnds(world, 'why', ref)).toMatchObject({ code: 1, out: '' })
})

test('while everything is paused, nobody is told that something goes on', async () => {
  const { world, id } = await asked()
  await troupe(world, 'pause', '--all')
  const sent = await troupe(world, 'send', 'assistant', '--new', 'Hello')
  const still = /[Ee]verything is paused: it goes on (once you let it, )?with "\S*troupe resume --all"\./
  expect(sent).toBe('✓ accepted\n')
  for (const words of [
    ['send', 'assistant', 'Hello'],
    ['tasks', 'create', 'assistant', 'Dig'],
    ['run', '--detach', 'Dig'],
  ])
    expect(await troupeEnds(world, ...words)).toMatchObject({ code: 0, err: expect.stringMatching(still) })
  // Nothing would come of waiting.
  expect(await troupeHears(world, 'Hello\n', 'chat', '--new')).toMatch(still)
  for (const words of [
    ['run', 'Dig on'],
    ['tasks', 'create', '--watch', 'assistant', 'Dig on'],
  ])
    expect(await troupeEnds(world, ...words)).toMatchObject({ code: 4, err: expect.stringMatching(still) })
  const [item] = await world.inbox()
  expect(await troupe(world, 'inbox', 'answer', item!.id, 'red')).toContain('answered; everything is paused')
  expect(await troupe(world, 'inbox', 'show', item!.id)).toContain('\n(answered: red)\n')
  await troupe(world, 'resume', '--all')
  await world.eventually(async () => (await world.look(id)).lastSnippet === 'Done.')
  expect(await troupe(world, 'send', 'assistant', '--new', 'Hello')).toContain('it has begun')
})
