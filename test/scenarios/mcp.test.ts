import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { McpInfo } from '../../src/contract/mcp.ts'
import { createWorld } from '../kit/world.ts'

const reference = (name: string): string => {
  const root = dirname(createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`))
  return join(root, 'dist', 'index.js')
}

test('x', async () => {
  const world = await createWorld({
    settings: {
      mcpServers: { every: { command: process.execPath, args: [reference('everything'), 'stdio'] } },
      permissions: { allow: ['mcp:every.*'] },
    },
  })
  const session = await world.session()
  world.vendor.queue(
    {},
    { calls: [{ name: 'mcp__every__echo', input: { message: 'hi there' } }] },
    { calls: [{ name: 'mcp__every__list_resources', input: {} }] },
    { calls: [{ name: 'mcp__every__get-tiny-image', input: {} }] },
    { text: 'Done.' },
  )
  await world.say(session.id, 'Go', { wait: 60 })
  console.log(JSON.stringify(await world.results(session.id), null, 1).slice(0, 3000))
  console.log(JSON.stringify(await world.inbox()))
  void ({} as McpInfo)
})
