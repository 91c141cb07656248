import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createWorld } from '../../../test/kit/world.ts'
import type { Permission, PermissionAnswer } from '../../contract/permissions.ts'

test('rules are added, listed with their file, and removed, for a project or for all', async () => {
  const world = await createWorld()
  await world.ok('POST', '/api/permissions', { decision: 'allow', rule: 'bash(git status*)' })
  await world.ok('POST', '/api/permissions', { decision: 'deny', rule: 'bash(rm*)', global: true })
  const { items } = await world.ok<{ items: Permission[] }>('GET', '/api/permissions')
  expect(items).toEqual([
    { decision: 'deny', rule: 'bash(rm*)', from: join(world.home, 'settings.json') },
    { decision: 'allow', rule: 'bash(git status*)', from: expect.stringContaining('permissions.json') },
  ])
  expect(JSON.parse(readFileSync(items[1]!.from, 'utf8'))).toEqual({ allow: ['bash(git status*)'] })
  const gone = `/api/permissions?decision=deny&global=true&rule=${encodeURIComponent('bash(rm*)')}`
  expect((await world.ok<{ items: Permission[] }>('DELETE', gone)).items).toHaveLength(1)
  expect((await world.request('DELETE', gone)).status).toBe(404)
})

test('a rule for all is written beside those of its own list, and nothing of a project or of another list comes along', async () => {
  const files = { '.troupe/settings.json': '{"permissions":{"allow":["bash(make)"],"deny":["bash(dd*)"]}}' }
  const world = await createWorld({ settings: { permissions: { deny: ['bash(rm*)'] } }, files })
  for (const rule of ['bash(ls)', 'bash(ls)', ' bash(pwd) '])
    await world.ok('POST', '/api/permissions', { decision: 'allow', rule, global: true })
  const inHome = () => JSON.parse(readFileSync(join(world.home, 'settings.json'), 'utf8')).permissions
  expect(inHome()).toEqual({ deny: ['bash(rm*)'], allow: ['bash(ls)', 'bash(pwd)'] })
  await world.ok('DELETE', `/api/permissions?decision=allow&global=true&rule=${encodeURIComponent('bash(ls)')}`)
  expect(inHome()).toEqual({ deny: ['bash(rm*)'], allow: ['bash(pwd)'] })
})

test('a rule that is none is refused with an example', async () => {
  const world = await createWorld()
  for (const rule of ['', 'bash(', 'bash)x', 'a b c', 'bash()']) {
    const { status, body } = await world.request('POST', '/api/permissions', { decision: 'allow', rule })
    expect([rule, status]).toEqual([rule, 400])
    expect(JSON.stringify(body)).toContain('tool(pattern)')
  }
})

test('a check names the rule, its file and each part, and runs nothing', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['bash(ls*)'], deny: ['bash(rm*)'] } } })
  const check = (tool: string, input: unknown, agent?: string) =>
    world.ok<PermissionAnswer>('POST', '/api/permissions/check', { tool, input, ...(agent ? { agent } : {}) })
  expect(await check('bash', 'ls -la')).toMatchObject({
    decision: 'allow',
    because: `rule allow "bash(ls*)" (${join(world.home, 'settings.json')})`,
  })
  expect(await check('bash', { command: 'ls; rm x' })).toMatchObject({
    decision: 'deny',
    parts: [
      { what: '"ls"', decision: 'allow' },
      { what: 'writing x', decision: 'allow' },
      { what: '"rm x"', decision: 'deny' },
    ],
  })
  expect(await check('write_file', '.env')).toMatchObject({ decision: 'ask' })
  expect(await check('bash', 'ls', 'writer')).toMatchObject({
    decision: 'deny',
    because: expect.stringContaining('no tool'),
  })
  expect(await world.inbox()).toEqual([])
})
