import { describe, expect, test } from 'vitest'
import { storesInTurn } from '../kit/database.ts'
import { isSummary } from '../kit/small-window.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const heardIn = ({ messages }: SeenRequest): string =>
  messages
    .filter(({ role }) => role === 'user')
    .map(({ text }) => /(\w)\1{99}/.exec(text)?.[1] ?? '')
    .join('')

/** Three mails of 14,000 characters are there before the first model call. */
async function threeAtOnce(world: World): Promise<string[]> {
  world.vendor.script(() => ({ text: 'Read.' }))
  const session = await world.session()
  await world.ok('POST', `/api/sessions/${session.id}/pause`)
  for (const letter of ['a', 'b', 'c']) await world.send(session.id, letter.repeat(14_000))
  await world.ok('POST', `/api/sessions/${session.id}/resume`)
  await world.eventually(async () => world.vendor.requests.some((request) => heardIn(request).endsWith('c')))
  await world.reaches(session.id, 'idle')
  return world.vendor.requests.filter((request) => !isSummary(request)).map(heardIn)
}

const lab = (world: { baseURL: string }, prices: object) => ({
  type: 'openai-compatible',
  baseURL: world.baseURL,
  apiKey: 'k',
  prices,
})

describe.each(storesInTurn(import.meta.filename))('mail at the first safe point of a turn on %s', (store) => {
  test.each([
    [
      'a window of 10,000 tokens takes one at a time, and has no room for what was read before',
      10_000,
      ['a', 'b', 'c'],
    ],
    ['a window of 30,000 tokens takes two', 30_000, ['ab', 'abc']],
    ['a window of 200,000 tokens takes all', 200_000, ['abc']],
  ])('%s', async (_, contextWindow, expected) => {
    const world = await createWorld({ store })
    const provider = lab(world.vendor, { 'test-model': { contextWindow } })
    await world.ok('PATCH', '/api/settings', { changes: { 'providers.lab': provider } })
    expect(await threeAtOnce(world)).toEqual(expected)
  })
})

test('the window of a model that only the catalogue knows counts before the first call too', async () => {
  const world = await createWorld({ protocol: 'anthropic' })
  await world.ok('PATCH', '/api/settings', { changes: { defaultModel: 'lab/claude-opus-4-1' } })
  expect(await threeAtOnce(world)).toEqual(['abc'])
})
