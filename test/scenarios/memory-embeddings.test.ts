import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { MemoryFound } from '../../src/contract/memory.ts'
import { putMemory, trust } from '../kit/memory.ts'
import { createWorld, type World } from '../kit/world.ts'

/** A server of embeddings on loopback: what is about animals points one way, all else another. */
async function startEmbedder() {
  const texts: string[] = []
  let fails = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { input, model } = JSON.parse(Buffer.concat(chunks).toString())
    texts.push(...input)
    const data = input.map((text: string, index: number) => ({
      ...{ object: 'embedding', index },
      embedding: /dog|puppy|hound/i.test(text) ? [1, 0.1] : [0, 1],
    }))
    response.writeHead(fails ? 401 : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        fails ? { error: { message: 'no such key' } } : { object: 'list', model, data, usage: { prompt_tokens: 1 } },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { baseURL, texts, fail: () => (fails = true) }
}

function configure(world: World, baseURL: string): void {
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.providers.vectors = { type: 'openai-compatible', baseURL, apiKey: 'k' }
  settings.memory = { embeddings: 'vectors/small' }
  writeFileSync(file, JSON.stringify(settings))
}

const search = (world: World, query: string) => world.ok<MemoryFound>('POST', '/api/memory/search', { query })

test('with an embedding model a search finds what means the same, embeds each text once, and hides secrets', async () => {
  const embedder = await startEmbedder()
  const world = await createWorld()
  await trust(world)
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
  putMemory(world, 'pets.md', `# Home\nThe hound sleeps.\n# Work\nInvoices, key ${secret}.\n`)
  expect((await search(world, 'puppy')).items).toEqual([])
  configure(world, embedder.baseURL)
  const { items, notes } = await search(world, 'puppy')
  expect(notes).toEqual([])
  expect(items[0]).toMatchObject({ path: 'pets.md', heading: 'Home' })
  await search(world, 'puppy')
  expect(embedder.texts.filter((text) => text.includes('hound'))).toHaveLength(1)
  expect(embedder.texts.join()).not.toContain(secret)
  // What has the word and the meaning stands before what has one of them.
  putMemory(world, 'more.md', '# Dog\nA puppy.\n')
  expect((await search(world, 'puppy')).items[0]).toMatchObject({ path: 'more.md' })
})

test('when embeddings fail the words are still searched, and a note says so', async () => {
  const embedder = await startEmbedder()
  const world = await createWorld()
  await trust(world)
  putMemory(world, 'pets.md', 'The hound sleeps.')
  configure(world, embedder.baseURL)
  embedder.fail()
  const { items, notes } = await search(world, 'hound')
  expect(items).toMatchObject([{ path: 'pets.md' }])
  expect(notes).toEqual([expect.stringMatching(/^Only words were compared: the embeddings of vectors\/small failed/)])
})
