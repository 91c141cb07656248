import { describe, expect, test } from 'vitest'
import type { Cost } from '../../src/contract/cost.ts'
import { stores } from '../kit/database.ts'
import { providerAt } from '../kit/vendor/runtime.ts'
import { startVendor } from '../kit/vendor/server.ts'
import { createWorld } from '../kit/world.ts'

describe.each(stores)('cost on %s', (store) => {
  test('is never below nothing, whatever a vendor counts', async () => {
    const vendor = await startVendor()
    vendor.script(() => ({ text: 'Yes.', usage: { input: 1000, cached: 50_000, output: 0.5 } }))
    const prices = { m: { input: 2, output: 10, cachedInput: 1, contextWindow: 10_000_000 } }
    const providers = { priced: providerAt(vendor, 'openai-compatible', { prices }) }
    const world = await createWorld({ store, settings: { providers }, env: { LAB_KEY: 'k-0123456789' } })
    const session = await world.session({ model: 'priced/m' })
    expect(await world.say(session.id, 'hello')).toMatchObject({ end: 'done' })
    const { costUsd, tokens } = await world.look(session.id)
    expect(tokens).toMatchObject({ input: 1000, cached: 1000 })
    expect(costUsd).toBeCloseTo(0.001)
    await vendor.close()
  })

  test('is told by model, agent and day; what has no price is unknown, not nothing', async () => {
    const vendor = await startVendor()
    vendor.script(() => ({ text: 'Yes.', usage: { input: 1_000_000, cached: 500_000, output: 100_000 } }))
    const providers = {
      lab: providerAt(vendor, 'openai-compatible'),
      priced: providerAt(vendor, 'openai-compatible', {
        prices: { m: { input: 2, output: 10, cachedInput: 1, contextWindow: 10_000_000 } },
      }),
      claude: providerAt(vendor, 'anthropic'),
    }
    const world = await createWorld({ store, settings: { providers }, env: { LAB_KEY: 'k-0123456789' } })
    for (const model of ['lab/m', 'priced/m', 'claude/claude-opus-4-5']) {
      const session = await world.session({ model })
      expect((await world.say(session.id, 'hello')).end).toBe('done')
    }
    const costs = async (query: string): Promise<Cost[]> =>
      (await world.request<{ items: Cost[] }>('GET', `/api/cost?${query}`)).body.items

    const byModel = new Map((await costs('by=model')).map((item) => [item.key, item]))
    expect(byModel.get('lab/m')).toMatchObject({ costUsd: 0, unpricedTokens: 1_100_000, messages: 1 })
    expect(byModel.get('priced/m')?.costUsd).toBeCloseTo(0.5 * 2 + 0.5 * 1 + 0.1 * 10)
    expect(byModel.get('priced/m')?.unpricedTokens).toBe(0)
    // The catalogue's: 5 and 25 USD a million, 0.5 for what is cached.
    expect(byModel.get('claude/claude-opus-4-5')?.costUsd).toBeCloseTo(0.5 * 5 + 0.5 * 0.5 + 0.1 * 25)

    const [agent] = await costs('by=agent')
    expect(agent).toMatchObject({ key: 'assistant', messages: 3, tokens: { input: 3_000_000, cached: 1_500_000 } })
    const days = await costs('by=day')
    expect(days).toHaveLength(1)
    expect(days[0]?.costUsd).toBeCloseTo(agent?.costUsd ?? 0)
    expect(await costs('by=day&since=2999-01-01')).toEqual([])
    const models = (await world.request<{ items: { name: string }[] }>('GET', '/api/models')).body.items
    expect(models.find(({ name }) => name.startsWith('claude/'))).toMatchObject({
      contextWindow: expect.any(Number),
      price: { input: expect.any(Number), output: expect.any(Number) },
    })
    await vendor.close()
  })
})
