import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { bin } from '../../../test/kit/desk.ts'
import { kitServer, openHttpMcp, planOf } from '../../../test/kit/mcp.ts'
import { troupe, troupeEnds } from '../../../test/kit/program.ts'
import { createWorld } from '../../../test/kit/world.ts'

test('a server is added, tried, listed, looked at and removed', async () => {
  const world = await createWorld({ files: { 'plan.json': planOf('echo') } })
  const { command, args } = kitServer('plan.json')
  expect(await troupe(world, 'mcp')).toMatch(/There are no MCP servers\. Add one/)
  const added = await troupe(world, 'mcp', 'add', 'kit', command, ...args, '--env', 'LEVEL=debug')
  expect(added).toMatch(
    /✓ kit is in the settings \(home\)\.\n✓ kit runs \(kit 1\)\n[\s\S]*mcp__kit__echo +mcp:kit\.echo/,
  )
  expect(await troupe(world, 'mcp', 'list')).toMatch(/^kit +running +1 +home/m)
  expect(await troupe(world, 'mcp', 'logs', 'kit')).toContain('the kit server speaks')
  expect(await troupeEnds(world, 'mcp', 'add', 'kit', 'other')).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /There is an MCP server "kit" in the settings of home: [\s\S]*mcp remove kit --where home/,
    ),
  })
  expect(await troupe(world, 'permissions', 'check', 'mcp:kit.echo {}')).toMatch(/^ask: .*needs "mcp"/)
  expect(await troupe(world, 'doctor')).toMatch(/MCP +kit \(running\)/)

  const bad = await troupeEnds(world, 'mcp', 'add', 'bad', 'no-such-program')
  expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('127: it, or what it starts, was not found') })
  expect(await troupe(world, 'mcp', 'remove', 'bad')).toContain('bad is removed')
  expect(await troupeEnds(world, 'mcp', 'remove', 'bad')).toMatchObject({ code: 1 })
  expect((await troupeEnds(world, 'mcp', 'test', 'kitt')).err).toMatch(/no MCP server "kitt" here[\s\S]*kit/)
})

test('a login is begun in the terminal and ends in the browser', async () => {
  const far = await openHttpMcp({ token: 'canary-cli-login-11', oauth: true })
  const world = await createWorld({ settings: { mcpServers: { far: { url: far.url } } } })
  const words = ['mcp', 'login', 'far', '--home', world.home, '--project', world.project, '--no-start']
  const child = spawn(process.execPath, [bin, ...words], { env: { PATH: process.env.PATH, HOME: world.home } })
  let out = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  child.stdout.on('data', (bytes) => {
    out += bytes
    const url = /^(http\S+)\n/m.exec(out)?.[1]
    if (url) resolve(url)
  })
  expect(await (await fetch(await promise)).text()).toContain('You can close this page')
  expect(await new Promise((ended) => child.on('close', ended))).toBe(0)
  expect(out).toContain('You are logged in to far; it has 1 tools.')
  expect(await troupe(world, 'mcp', 'logout', 'far')).toContain('is forgotten')
})
