import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { customTool } from '../../../test/kit/custom-tools.ts'
import { troupe, troupeHears } from '../../../test/kit/program.ts'
import { createWorld } from '../../../test/kit/world.ts'

test('a new tool works as it is made, in the project, for an agent or for all projects', async () => {
  const world = await createWorld({ files: { '../home/agents/ann/agent.json': '{}' } })
  expect(await troupe(world, 'tools', 'new', 'count')).toMatch(/\.troupe\/tools\/count\/index\.js[\s\S]*troupe trust/)
  expect(await troupe(world, 'tools')).toMatch(/! .*\.troupe\/tools\/count: is not trusted/)
  await world.ok('POST', '/api/trust', { trusted: true })
  await troupe(world, 'tools', 'new', 'tally', '--agent', 'ann', '--ts')
  expect(await troupe(world, 'tools', 'new', 'sum', '--global', '--ts')).not.toContain('troupe trust')
  const listed = await troupe(world, 'tools', '--agent', 'ann')
  expect(listed).toMatch(/^count +project +loaded/m)
  expect(listed).toMatch(/^tally +agent +loaded/m)
  expect(listed).toMatch(/^sum +global +loaded/m)
  expect(listed).toMatch(/^task_status +built-in +listed/m)

  const session = await world.session({ agent: 'ann' })
  const calls = ['count', 'tally', 'sum'].map((name) => ({ calls: [{ name, input: { text: 'one two three' } }] }))
  world.vendor.queue({}, ...calls, { text: 'Done.' })
  await world.say(session.id, 'Count')
  expect(await world.results(session.id)).toEqual([{ words: 3 }, { words: 3 }, { words: 3 }])
  expect(await troupe(world, 'tools', 'show', 'count')).toMatch(/^count \(project, loaded\): Says how many/)

  const json = JSON.parse(readFileSync(join(world.home, 'tools/sum/tool.json'), 'utf8'))
  expect(json.$schema).toBe('./tool.schema.json')
})

test('what cannot be made or shown is said with the way out', async () => {
  const files = customTool('bash', 'export default () => 1')
  const world = await createWorld({ files })
  const said = (...words: string[]) => troupeHears(world, '', 'tools', ...words)
  expect(await said('new', 'bad name')).toMatch(/"bad name" must be letters, digits/)
  expect(await said('new', 'grep', '--global')).toMatch(/grep is a built-in tool[\s\S]*Choose another name/)
  expect(await said('new', 'x', '--agent', 'coder')).toMatch(/coder comes with Troupe[\s\S]*--global/)
  expect(await said('new', 'x', '--agent', 'coder', '--global')).toMatch(/not both/)
  await troupe(world, 'tools', 'new', 'x', '--global')
  expect(await said('new', 'x', '--global')).toMatch(/is there already/)
  expect(await said('show', 'nothing')).toMatch(/There is no tool "nothing" here/)
  expect(await said('show', 'bash')).toMatch(/bash is not used: a built-in tool has that name/)
})
