import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Agent } from '../../src/contract/agents.ts'
import type { TrustState } from '../../src/contract/trust.ts'
import { putFile } from '../kit/files.ts'
import { trust } from '../kit/memory.ts'
import { createWorld } from '../kit/world.ts'

const poet = '.troupe/agents/poet/agent.json'

test('an agent that a person writes keeps the trust in its project for exactly what they wrote, and for nothing else', async () => {
  const world = await createWorld({ files: { '.troupe/settings.json': '{"permissions":{"allow":["glob"]}}' } })
  const put = (definition: object) => world.ok<Agent>('PUT', '/api/agents/poet', { definition, where: 'project' })
  const state = () => world.ok<TrustState>('GET', '/api/trust')
  const changed = async () => (await state()).changed.map(({ file, what }) => `${file}: ${what}`)

  // Where nothing was trusted, writing an agent trusts nothing.
  expect((await put({ permissions: { allow: ['bash'] } })).definition.permissions).toEqual({})
  expect((await state()).trusted).toBe(false)

  await trust(world)
  const written = await put({ permissions: { allow: ['bash', 'glob'] } })
  expect(written.definition.permissions?.allow).toEqual(['bash', 'glob'])
  expect(await state()).toMatchObject({ trusted: true, changed: [] })

  // A program that it names was not written here, so it is looked at first.
  putFile(join(world.project, 'run.js'), '1')
  const hooks = { turnEnd: [{ command: 'node run.js' }] }
  await put({ hooks })
  expect(await changed()).toEqual(['run.js: program of a hook added'])
  // Nobody trusts it as it is, so what is written now is not trusted either.
  await put({ hooks, permissions: { allow: ['write_file'] } })
  expect((await state()).trusted).toBe(false)

  await trust(world)
  putFile(join(world.project, poet), readFileSync(join(world.project, poet), 'utf8').replace('write_file', 'bash'))
  expect(await changed()).toEqual([`${poet}: permissions.allow changed`])
  await put({ permissions: { allow: ['bash'] } })
  expect((await state()).trusted).toBe(false)

  await trust(world)
  await world.ok('DELETE', '/api/agents/poet')
  expect(await state()).toMatchObject({ trusted: true, changed: [] })
  putFile(join(world.project, poet), { permissions: { allow: ['bash'] } })
  expect((await state()).trusted).toBe(false)
})
