import { expect, test } from 'vitest'
import { createWorld } from '../../../test/kit/world.ts'
import { findSession } from '../../store/sessions.ts'
import { createHistoryCache, remember } from './history.ts'

const LIMIT = 10_000

test('logs in memory are bounded by what they have grown to: the longest unused go first, the one in use stays', async () => {
  const world = await createWorld()
  const { core } = world.server
  const cache = createHistoryCache(LIMIT)
  const ids = await Promise.all(['a', 'b', 'c'].map(async () => (await world.session()).id))
  const load = async (at: number) => cache.load(core, (await findSession(core.store.read, ids[at]!))!)
  const grown = async (at: number, length: number) => {
    const history = await load(at)
    const text = { type: 'text', text: 'x'.repeat(length) } as const
    remember(history, [{ id: 'm', seq: 1, role: 'user', parts: [text], createdAt: '' }])
    return history
  }
  const [a, b, c] = [await grown(0, LIMIT / 2), await grown(1, LIMIT / 4), await grown(2, LIMIT / 2)]
  expect(cache.bytes).toBeGreaterThan(LIMIT)
  expect(await load(1)).toBe(b)
  expect(await load(2)).toBe(c)
  expect(cache.bytes).toBeLessThan(LIMIT)
  expect(await load(0)).not.toBe(a)
  expect(await grown(0, 2 * LIMIT)).toBe(await load(0))
  cache.forget(ids[0]!)
  expect(cache.bytes).toBeLessThan(LIMIT)
})
