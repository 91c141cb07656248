import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ToolContext } from '../../core/base/index.ts'
import type { ConfiguredServer } from '../../core/config/index.ts'
import { isTimeout } from './failures.ts'
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
