import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { runtimeFor, takeStep } from '../../../test/kit/vendor/runtime.ts'
import { startVendor } from '../../../test/kit/vendor/server.ts'
import { createCatalogue } from './catalogue.ts'

const usage = { input: 1_000_000, output: 1_000_000, cached: 0, written: 0 }
const opus = { type: 'anthropic', baseURL: undefined, modelId: 'claude-opus-4-5' } as const
const now = new Date('2026-01-01T00:00:00Z')

/** A place that hands out this text as the newest catalogue. */
async function mirror(text: string, status = 200): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end(text))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/data.json`
}

const fetched = JSON.stringify([
  {
    id: 'anthropic',
    name: 'Anthropic',
    api_pattern: 'https://api\\.anthropic\\.com',
    models: [
      {
        id: 'claude-opus-4-5',
        match: { starts_with: 'claude-opus-4-5' },
        context_window: 777,
        prices: { input_mtok: 1, output_mtok: 2 },
      },
    ],
  },
])

test('knows prices and windows of the vendors, by type or by address, and says when it does not', async () => {
  const { costOf, windowOf } = await createCatalogue(undefined).load()
  expect(costOf(opus, usage, now)).toBeCloseTo(30)
  expect(windowOf(opus)).toBe(200_000)
  expect(costOf({ ...opus, modelId: 'no-such-model' }, usage, now)).toBeUndefined()
  const groq = {
    type: 'openai-compatible',
    baseURL: 'https://api.groq.com/openai/v1',
    modelId: 'openai/gpt-oss-120b',
  } as const
  expect(costOf(groq, usage, now)).toBeGreaterThan(0)
  expect(costOf({ ...groq, baseURL: 'https://gpu.example/v1' }, usage, now)).toBeUndefined()
})

test('what is cached costs less, what is written to the cache more', async () => {
  const { costOf } = await createCatalogue(undefined).load()
  const plain = costOf(opus, usage, now) ?? 0
  expect(costOf(opus, { ...usage, cached: 500_000 }, now)).toBeLessThan(plain)
  expect(costOf(opus, { ...usage, written: 500_000 }, now)).toBeGreaterThan(plain)
})

test('an update is fetched when asked for, kept in the data folder and used from then on', async () => {
  const folder = makeFolder()
  const catalogue = createCatalogue(folder)
  expect((await catalogue.load()).windowOf(opus)).toBe(200_000)
  const from = await mirror(fetched)
  expect(await catalogue.update(fetch, from)).toEqual({ models: 1, from })
  expect((await catalogue.load()).costOf(opus, usage, now)).toBeCloseTo(3)
  expect((await createCatalogue(folder).load()).windowOf(opus)).toBe(777)
})

test.each([
  ['not JSON', 'oops', 200, /not a list of prices/],
  ['no list', '{}', 200, /not a list of prices/],
  ['an error', '', 503, /could not be fetched from 127\.0\.0\.1:\d+: it answered 503/],
])('an update that is %s changes nothing', async (_name, text, status, sentence) => {
  const folder = makeFolder()
  const catalogue = createCatalogue(folder)
  await expect(catalogue.update(fetch, await mirror(text, status))).rejects.toThrow(sentence)
  expect(existsSync(join(folder, 'prices.json'))).toBe(false)
})

test('a broken file of prices is passed over', async () => {
  const folder = makeFolder()
  await writeFile(join(folder, 'prices.json'), '[{"id": 1}')
  expect((await createCatalogue(folder).load()).windowOf(opus)).toBe(200_000)
  expect(await readFile(join(folder, 'prices.json'), 'utf8')).toContain('"id"')
})

test('a server of one’s own has no price, unless the settings name one; the demo costs nothing', async () => {
  const vendor = await startVendor()
  const runtime = runtimeFor(vendor)
  expect((await takeStep(runtime, { model: 'lab/m' })).costUsd).toBeUndefined()
  expect((await takeStep(runtime, { model: 'demo/demo' })).costUsd).toBe(0)
  await vendor.close()
})
