import { expect, test } from 'vitest'
import { cast } from '../../../test/kit/cast.ts'
import { troupe, troupeEnds, troupeHears } from '../../../test/kit/program.ts'
import { skillFile } from '../../../test/kit/skills.ts'
import { createWorld } from '../../../test/kit/world.ts'

test('skills are made, listed, shown and started from the command line and in the chat, whose own commands win', async () => {
  const world = await createWorld({
    files: { ...cast('ann'), ...skillFile('help', 'Not this.'), '.troupe/skills/bad/SKILL.md': '---\nname: 7\n---\nx' },
  })
  expect(await troupe(world, 'skills', 'new', 'review')).toContain('.troupe/skills/review/SKILL.md')
  expect((await troupeEnds(world, 'skills', 'new', 'review')).err).toContain('is there already')
  expect((await troupeEnds(world, 'skills', 'new', 'no name')).code).toBe(2)
  const list = await troupe(world, 'skills', '--agent', 'ann')
  expect(list).toMatch(/\/review \[what it is about\] +project +the agent/)
  expect(list).toMatch(/bad\/SKILL\.md, name: /)
  expect(await troupe(world, 'skills', 'show', 'review')).toContain('Do this with: $ARGUMENTS')
  expect((await troupeEnds(world, 'skills', 'show', 'reviw')).err).toContain('Did you mean "review"?')

  const said = () => JSON.stringify(world.vendor.requests.map(({ body }) => body))
  expect(await troupe(world, 'skills', 'run', 'review', 'the', 'door', '--agent', 'ann')).toContain('task_')
  await world.eventually(async () => said().includes('Do this with: the door'))
  await troupeHears(world, '/review the roof\n', 'chat', 'ann', '--new')
  expect(said()).toContain('Do this with: the roof')
  await troupeHears(world, '/help\n', 'chat', 'ann', '--new')
  expect(said()).not.toContain('Not this.')
  expect(await troupeHears(world, '', 'send', 'ann', '/reviw it')).toContain('did you mean /review?')
})
