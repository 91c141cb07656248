import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Agent } from '../../src/contract/agents.ts'
import type { ImportedAgent } from '../../src/contract/imports.ts'
import { putFile } from '../kit/files.ts'
import { createWorld, type World } from '../kit/world.ts'

const reviewer = `---
name: code-reviewer
description: Reviews code. Use after: any change
tools: Read, Grep, Bash(git diff:*), NotebookEdit, mcp__github__list
model: sonnet
color: blue
---
You review code.
`
const files = {
  '.claude/agents/code-reviewer.md': reviewer,
  '.opencode/agent/Doc Writer.md':
    '---\ndescription: Writes docs\nmodel: anthropic/claude-sonnet-5-5\ntools:\n  bash: false\n  write: true\nmode: subagent\n---\nWrite.',
  '.opencode/agent/code-reviewer.md': '---\ndescription: Another\n---\nNot this one.',
  '.claude/agents/human.md': '---\ndescription: Reserved\n---\nText.',
  'AGENTS.md': 'Use tabs.',
}

const take = async (world: World, body?: Record<string, unknown>) =>
  (await world.ok<{ items: ImportedAgent[] }>('POST', '/api/agents/import', body)).items

test('agents of other programs become agents here: tools by our names, what has no counterpart is told', async () => {
  const world = await createWorld({ files })
  const made = join(world.project, '.troupe/agents/code-reviewer/agent.json')
  const planned = await take(world, { dryRun: true })
  expect(planned.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'code-reviewer new',
    'human broken',
    'doc-writer new',
  ])
  expect(planned[0]!.notes).toEqual([
    'no tool here is like: NotebookEdit, mcp__github__list; left out',
    'taken without their patterns: Bash(git diff:*); calls are asked for as usual',
    'model: "sonnet" is no "provider/model"; it has the default model',
    'left out: color',
  ])
  expect(existsSync(made)).toBe(false)

  expect((await take(world)).map(({ outcome }) => outcome)).toEqual(['written', 'broken', 'written'])
  const agent = await world.ok<Agent>('GET', '/api/agents/code-reviewer')
  expect(agent).toMatchObject({
    broken: false,
    definition: {
      description: 'Reviews code. Use after: any change',
      tools: { allow: ['read_file', 'grep', 'bash'] },
    },
    prose: { agent: 'You review code.\n' },
  })
  expect(await world.ok<Agent>('GET', '/api/agents/doc-writer')).toMatchObject({
    definition: { model: 'anthropic/claude-sonnet-5-5', tools: { deny: ['bash'] } },
  })

  putFile(made, '{"description":"Mine"}')
  expect((await take(world, { names: ['code-reviewer'] }))[0]).toMatchObject({ outcome: 'exists' })
  expect(readFileSync(made, 'utf8')).toContain('Mine')
  expect((await take(world, { names: ['code-reviewer'], overwrite: true }))[0]).toMatchObject({ outcome: 'written' })
  expect(readFileSync(made, 'utf8')).toContain('Reviews code')
  expect(await world.request('POST', '/api/agents/import', { names: ['nobody'] })).toMatchObject({
    status: 404,
    body: { error: { hint: expect.stringContaining('code-reviewer') } },
  })

  const session = await world.session({ agent: 'code-reviewer' })
  await world.say(session.id, 'Hello')
  const sent = JSON.stringify(world.vendor.requests.at(-1)!.body)
  expect(sent).toContain('You review code.')
  expect(sent).toContain('Use tabs.')
})

test('a trusted project is asked about again when an import takes limits of an agent away', async () => {
  const limited = { description: 'Reviews', permissions: { deny: ['bash'] } }
  const world = await createWorld({
    files: { ...files, '.troupe/agents/code-reviewer/agent.json': JSON.stringify(limited) },
  })
  await world.ok('POST', '/api/trust', { trusted: true })
  expect(await world.ok('GET', '/api/trust')).toMatchObject({ trusted: true })
  await take(world, { names: ['code-reviewer'], overwrite: true })
  expect(await world.ok('GET', '/api/trust')).toMatchObject({ trusted: false })
})

test('an agent is not imported, saved or deleted where a link leads out of the project, nor are settings written there', async () => {
  const world = await createWorld({ files })
  const mine = join(world.home, 'agents', 'code-reviewer')
  putFile(join(mine, 'GOAL.md'), 'Mine')
  mkdirSync(join(world.project, '.troupe', 'agents'), { recursive: true })
  const link = join(world.project, '.troupe', 'agents', 'code-reviewer')
  symlinkSync(mine, link)
  const refused = {
    name: 'code-reviewer',
    outcome: 'broken',
    notes: [`${link} is reached by a link that leads out of the project`],
  }
  for (const more of [{ dryRun: true }, { overwrite: true }, {}])
    expect((await take(world, { names: ['code-reviewer'], ...more }))[0]).toMatchObject(refused)
  const outside = { status: 403, body: { error: { code: 'path.outside' } } }
  const definition = { description: 'Theirs' }
  for (const [method, body] of [['PUT', { definition, where: 'project' }], ['DELETE']] as const)
    expect(await world.request(method, '/api/agents/code-reviewer', body)).toMatchObject(outside)
  expect(readdirSync(mine)).toEqual(['GOAL.md'])

  const elsewhere = join(world.home, 'elsewhere')
  mkdirSync(elsewhere)
  rmSync(join(world.project, '.troupe'), { recursive: true })
  symlinkSync(elsewhere, join(world.project, '.troupe'))
  const asked = { where: 'project', changes: { 'limits.maxIterations': 3 } }
  expect(await world.request('PATCH', '/api/settings', asked)).toMatchObject(outside)
  expect(await world.request('PUT', '/api/agents/fresh', { definition, where: 'project' })).toMatchObject(outside)
  expect(readdirSync(elsewhere)).toEqual([])
})
