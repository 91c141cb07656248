import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ToolContext } from '../../core/base/index.ts'
import type { ConfiguredServer } from '../../core/config/index.ts'
import { isTimeout } from './failures.ts'
import { toolNames } from './names.ts'
import { optionsFor } from './tools.ts'

const EVERY_MS = 55_000

/** A server that never answers a call and gives a sign of progress now and then. */
async function busyServer() {
  const calledOff = vi.fn()
  const server = new Server({ name: 'busy', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const progressToken = params._meta!.progressToken!
    const work = setInterval(() => {
      void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1, message: words } })
    }, EVERY_MS)
    mcpReq.signal.addEventListener('abort', () => {
      clearInterval(work)
      calledOff()
    })
    return new Promise<never>(() => {})
  })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  return { client, calledOff }
}

const words = 'x'.repeat(3000)

test('signs of progress keep a call alive, but for 600 s in all, and of them 10,000 characters are shown', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { client, calledOff } = await busyServer()
  let shown = ''
  const context = { signal: new AbortController().signal, output: (text: string) => (shown += text) }
  const options = optionsFor({ config: {} } as ConfiguredServer, context as unknown as ToolContext)
  const began = Date.now()
  const took = client
    .callTool({ name: 'any' }, options)
    .catch((error: unknown) => ({ error, after: Date.now() - began }))
  await vi.advanceTimersByTimeAsync(700_000)
  const { error, after } = (await took) as { error: unknown; after: number }
  expect(isTimeout(error)).toBe(true)
  expect(after).toBe(600_000)
  expect(calledOff).toHaveBeenCalledOnce()
  expect(shown).toHaveLength(10_000)
})

test('a call may be silent for 60 s unless its server says otherwise, and a sign of progress needs no words', () => {
  const shown: string[] = []
  const context = { signal: new AbortController().signal, output: (text: string) => void shown.push(text) }
  const optionsOf = (config: object) => optionsFor({ config } as ConfiguredServer, context as unknown as ToolContext)
  expect(optionsOf({}).timeout).toBe(60_000)
  expect(optionsOf({ timeoutSeconds: 7 }).timeout).toBe(7000)
  const { onprogress } = optionsOf({})
  onprogress?.({ progress: 1 })
  onprogress?.({ progress: 2, total: 4, message: 'Half' })
  expect(shown).toEqual(['1\n', 'Half 2/4\n'])
})

test('a name of 64 characters is left as it is; a longer one, and the second of two that become alike, gets a mark', () => {
  const [fits, long] = ['x'.repeat(64 - 'mcp__kit__'.length), 'x'.repeat(65 - 'mcp__kit__'.length)]
  const names = toolNames('kit', [fits, long, 'a b', 'a/b'])
  expect(names.get(fits)).toBe(`mcp__kit__${fits}`)
  expect(names.get(long)).toMatch(/^mcp__kit__x{47}_[0-9a-f]{6}$/)
  expect(names.get('a b')).toBe('mcp__kit__a_b')
  expect(names.get('a/b')).toMatch(/^mcp__kit__a_b_[0-9a-f]{6}$/)
  expect(names.size).toBe(4)
})
