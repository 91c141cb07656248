import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PermissionRules } from '../../src/contract/agents.ts'
import { cast } from '../kit/cast.ts'
import { sessionOf } from '../kit/records.ts'
import { ask, spawn } from '../kit/script.ts'
import { skillFile, useSkill } from '../kit/skills.ts'
import { createWorld, type World } from '../kit/world.ts'

/** What a skill lets an agent do is no more than its other tools do. */

const forks = {
  ...skillFile('study', 'Study.', { context: 'fork' }),
  ...skillFile('dig', 'Dig.', { context: 'fork', agent: 'ben' }),
  ...skillFile('read', 'Read.'),
}

async function told(world: World, session: string, ...made: { name: string; input: object }[]): Promise<string[]> {
  world.vendor.queue({ model: 'ann' }, { calls: made }, { text: 'Done.' })
  await world.say(session, 'Go')
  return (await world.results(session)).map((result) => JSON.stringify(result))
}

const helpers = ({ vendor }: World): number => vendor.requests.filter(({ model }) => model === 'ben').length

test('a skill that a helper does is refused where a rule denies spawning that helper, and no other', async () => {
  const permissions: PermissionRules = { deny: ['agent_spawn(ben)'] }
  const world = await createWorld({ files: { ...cast('ann', 'ben'), ...forks }, settings: { permissions } })
  const ann = await world.session({ agent: 'ann' })
  const [dug, read] = await told(world, ann.id, useSkill('dig'), useSkill('read'))
  expect(dug).toMatch(/Not permitted: rule deny \\"agent_spawn\(ben\)/)
  expect([read, helpers(world)]).toEqual([expect.stringContaining('Read.'), 0])
})

test('a skill that a helper does is refused to whom helpers are denied, also by whoever made its session', async () => {
  const files = cast('dan', { ben: { tools: { deny: ['agent_spawn'] } }, cat: { capabilities: { deny: ['agents'] } } })
  const world = await createWorld({ files: { ...files, ...forks } })
  for (const agent of ['ben', 'cat']) {
    world.vendor.queue({ model: agent }, { calls: [useSkill('study')] }, { text: 'No.' })
    const session = await world.session({ agent })
    await world.say(session.id, 'Go')
    expect(await world.results(session.id)).toEqual([expect.stringMatching(/done by a helper, and you may have none/)])
  }
  // Dan may have helpers; of the session that ben's question makes for him, ben is the maker.
  world.vendor.queue({ model: 'ben' }, { calls: [ask('dan', 'Study it')] }, { text: 'No.' })
  world.vendor.queue({ model: 'dan' }, { calls: [useSkill('study')] }, { text: 'I may not.' })
  await world.say((await world.session({ agent: 'ben' })).id, 'Go')
  const asked = await sessionOf(world, 'dan')
  expect(await world.results(asked.id)).toEqual([expect.stringMatching(/done by a helper, and you may have none/)])
  const { items } = await world.ok<{ items: unknown[] }>('GET', '/api/tasks')
  expect(items).toEqual([])
})

test('a skill that a helper does is asked for where a rule asks for spawning, and the answer for the session holds', async () => {
  const permissions: PermissionRules = { ask: ['agent_spawn'] }
  const world = await createWorld({ files: { ...cast('ann', 'ben'), ...forks }, settings: { permissions } })
  world.vendor.queue(
    { model: 'ann' },
    { calls: [useSkill('dig')] },
    { calls: [useSkill('dig'), spawn('ben', 'Dig')] },
    { text: 'Dug.' },
  )
  const ann = await world.session({ agent: 'ann' })
  const { mailId } = await world.say(ann.id, 'Go')
  const [item] = await world.inbox()
  expect([item?.body, helpers(world)]).toEqual([expect.stringContaining('rule ask "agent_spawn"'), 0])
  await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'session' })
  expect(await world.settled(mailId)).toMatchObject({ reply: 'Dug.' })
  expect(helpers(world)).toBe(3)
})

test('rules about files hold for what lies beside a skill, by where it really is', async () => {
  const permissions: PermissionRules = { deny: ['read_file(**/*.pem)'] }
  const at = '.claude/skills'
  const beside = { [`${at}/ship/key.pem`]: 'canary', [`${at}/ship/list.md`]: 'Seven points.' }
  const files = { ...cast('ann'), ...skillFile('ship', 'Ship.', { at }), ...beside }
  const world = await createWorld({ files, settings: { permissions } })
  symlinkSync('key.pem', join(world.project, at, 'ship/notes.md'))
  const ann = await world.session({ agent: 'ann' })
  const show = (file: string) => ({ name: 'skill', input: { name: 'ship', file } })
  const shown = await told(world, ann.id, show('key.pem'), show('./x/../key.pem'), show('notes.md'), show('list.md'))
  expect(shown.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/Not permitted: rule deny \\"read_file/)))
  expect(shown[3]).toContain('Seven points.')
  expect(JSON.stringify(world.vendor.requests)).not.toContain('canary')
})
