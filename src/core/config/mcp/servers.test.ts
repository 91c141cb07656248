import { expect, test } from 'vitest'
import { makeFolders } from '../../../../test/kit/folders.ts'
import { findAgent } from '../agents/find.ts'
import { setTrust } from '../trust/trust.ts'
import { resolveServer } from './references.ts'
import { isAsConfigured, mcpServers } from './servers.ts'

test('the first server of a name is it, and what cannot be used is named with its file', async () => {
  const folders = makeFolders()
  const { core, project } = folders
  folders.putHome('settings.json', {
    mcpServers: { a: { command: 'home' }, b: { command: 'home', frob: 1 }, 'bad name': { command: 'x' } },
  })
  folders.putHome('agents/ann/agent.json', { mcpServers: { a: { command: 'ann' }, empty: {} } })
  folders.put('.mcp.json', {
    mcpServers: {
      a: { command: 'shared' },
      c: { command: 'shared', theirs: 1 },
      old: { type: 'sse', url: 'https://x' },
    },
  })
  const shared = await mcpServers(core, project)
  expect(shared.servers.map(({ name, source }) => [name, source])).toEqual([
    ['a', 'home'],
    ['b', 'home'],
  ])
  await setTrust(core, project, { trusted: true })
  const ann = await findAgent(core, project, 'ann')
  const { servers, problems } = await mcpServers(core, project, ann)
  expect(servers.map(({ name, source, personal, config }) => [name, source, personal, config])).toEqual([
    ['a', 'agent', true, { command: 'ann' }],
    ['b', 'home', true, { command: 'home' }],
    ['c', '.mcp.json', false, { command: 'shared' }],
  ])
  expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    expect.stringContaining('mcpServers.empty: must have a "command"'),
    expect.stringMatching(/mcpServers\.a: is not used: .*ann.* has a server of that name/),
    expect.stringMatching(/mcpServers\.a: is not used/),
    expect.stringContaining('mcpServers.old: speaks "sse"'),
  ])
  const [own] = servers
  expect(await isAsConfigured(core, project, own!, ann)).toBe(true)
  expect(await isAsConfigured(core, project, own!)).toBe(false)
  folders.put('.mcp.json', 'no json')
  expect((await mcpServers(core, project)).problems).toMatchObject([{ message: expect.stringContaining('no server') }])
})

test('what a server refers to is read from the environment, and what is missing is named', () => {
  const env = { TOKEN: 'abc', EMPTY: '' }
  const ref = (inner: string): string => `$${'{'}${inner}}`
  const http = (headers: Record<string, string>) => resolveServer({ url: 'https://x', headers }, env)
  expect(http({ a: '$TOKEN', b: `Bearer ${ref('TOKEN')}`, c: 'costs $5', d: ref('NO:-other') })).toEqual({
    url: 'https://x',
    headers: { a: 'abc', b: 'Bearer abc', c: 'costs $5', d: 'other' },
  })
  expect(http({ a: '$NO', b: ref('EMPTY') })).toEqual({ missing: ['NO', 'EMPTY'] })
  expect(resolveServer({ command: 'x', args: ['$TOKEN', ref('TOKEN')], env: { A: '$TOKEN' } }, env)).toEqual({
    command: 'x',
    args: ['$TOKEN', 'abc'],
    env: { A: 'abc' },
  })
})
