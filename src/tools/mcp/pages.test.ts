import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { readListing } from './listing.ts'
import { withFewPages } from './pages.ts'

async function connected(server: Server): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = withFewPages(new Client({ name: 'test', version: '1' }))
  await server.connect(theirs)
  await client.connect(ours)
  onTestFinished(() => client.close())
  return client
}

/** A server whose lists never end: each page has one entry of that size, and names a next page. */
async function endless(titleChars: number) {
  const asked: string[] = []
  const server = new Server(
    { name: 'endless', version: '1' },
    { capabilities: { tools: {}, prompts: {}, resources: {} } },
  )
  const page = (what: string, cursor = '0') => {
    asked.push(`${what} ${cursor}`)
    return { name: `${what}${cursor}`, nextCursor: String(Number(cursor) + 1) }
  }
  server.setRequestHandler('tools/list', ({ params }) => {
    const { name, nextCursor } = page('tool', params?.cursor)
    return { tools: [{ name, title: 'x'.repeat(titleChars), inputSchema: { type: 'object' as const } }], nextCursor }
  })
  server.setRequestHandler('prompts/list', ({ params }) => {
    const { name, nextCursor } = page('prompt', params?.cursor)
    return { prompts: [{ name, title: 'x'.repeat(titleChars) }], nextCursor }
  })
  server.setRequestHandler('resources/list', ({ params }) => {
    const { name, nextCursor } = page('resource', params?.cursor)
    return { resources: [{ name, uri: `x:${name}`, title: 'x'.repeat(titleChars) }], nextCursor }
  })
  return { client: await connected(server), asked }
}

test('a list without end is read up to 64 pages, and what came until then is what there is', async () => {
  const { client, asked } = await endless(1)
  const { tools, prompts } = await readListing(client, 5000)
  expect([tools.length, tools.at(-1)?.name, prompts.length]).toEqual([64, 'tool63', 64])
  expect((await client.listResources()).resources).toHaveLength(64)
  expect(asked).toHaveLength(3 * 64)
  // Each reading of the list begins to count anew.
  expect((await client.listTools(undefined, { cacheMode: 'bypass' })).tools).toHaveLength(64)
})

test('all pages of a list together have 16 million characters, and the page that goes beyond is the last', async () => {
  const { client, asked } = await endless(5_000_000)
  expect((await client.listTools()).tools).toHaveLength(4)
  expect((await client.listResources()).resources).toHaveLength(4)
  expect(asked).toHaveLength(8)
})

test('of a server 100 prompts are taken, each with what it takes and what of that may be left out', async () => {
  const server = new Server({ name: 'many', version: '1' }, { capabilities: { prompts: {} } })
  const takes = [
    { name: 'file', required: true },
    { name: 'line' },
    ...Array.from({ length: 30 }, () => ({ name: 'x' })),
  ]
  server.setRequestHandler('prompts/list', () => ({
    prompts: Array.from({ length: 120 }, (_, at) => ({ name: `p${at}`, arguments: at === 0 ? takes : [] })),
  }))
  const { tools, prompts, says, resources } = await readListing(await connected(server), 5000)
  expect([tools, says, resources, prompts.length, prompts.at(-1)?.name]).toEqual([[], 'many 1', false, 100, 'p99'])
  expect(prompts[0]?.arguments).toEqual(['file', 'line?', ...Array<string>(18).fill('x?')])
})
