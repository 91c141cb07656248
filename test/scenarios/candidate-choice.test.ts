import { expect, onTestFinished, test } from 'vitest'
import type { Candidate } from '../../src/core/base/models.ts'
import { createCandidateChoice } from '../../src/core/turns/candidate-choice.ts'
import { providerAt, runtimeFor, stepWith } from '../kit/vendor/runtime.ts'
import { startVendor } from '../kit/vendor/server.ts'

const MINUTE = 60_000
const busy = { kind: 'busy', message: 'Busy.' } as const

/** Two accounts of one model and one of another, each of which can be closed for a time. */
async function threeCandidates() {
  let now = 1_000_000
  const clock = { now: () => now }
  const vendor = await startVendor()
  onTestFinished(() => vendor.close())
  const keyed = (name: string) => ({ name, apiKey: `key-of-${name}` })
  const providers = {
    lab: {
      ...providerAt(vendor, 'openai-compatible'),
      apiKey: 'key-of-one',
      accounts: [keyed('two')],
      outageSeconds: 60,
    },
    spare: { ...providerAt(vendor, 'openai-compatible'), apiKey: 'key-of-spare', outageSeconds: 600 },
  }
  const { models, step } = runtimeFor(vendor, { clock, settings: () => ({ providers }) })
  const { usable } = await models.candidates({ id: 'p', path: '/' }, ['lab/m', 'spare/m'])
  const [one, two, spare] = usable as [Candidate, Candidate, Candidate]
  const close = async (candidate: Candidate, seconds: number) => {
    vendor.reply({ error: { kind: 'rate-limit', retryAfter: seconds } })
    expect((await stepWith({ step }, candidate)).error?.kind).toBe('busy')
  }
  const pass = (ms: number) => {
    now += ms
  }
  return { choice: createCandidateChoice({ closure: models.closure, clock }, usable), one, two, spare, close, pass }
}

test('an account that is closed gives way to the next of its model at once, for however short a time', async () => {
  const { choice, one, two, close } = await threeCandidates()
  expect(choice.next()).toBe(one)
  await close(one, 1)
  expect(choice.next()).toBe(two)
})

test('a model whose accounts are all closed is waited for when one opens within 20 s, else another model is asked', async () => {
  const { choice, one, two, spare, close, pass } = await threeCandidates()
  await close(one, 15)
  await close(two, 10)
  expect(choice.next()).toBe(two)
  expect(choice.patienceFor(two)).toBe(20_000)
  choice.failed(two, busy)
  pass(9000)
  expect([choice.next(), choice.patienceFor(two)]).toEqual([two, 11_000])
  pass(12_000)
  // Their time is up, so both are tried; now the patience is over.
  expect(choice.next()).toBe(one)
  await close(one, 30)
  expect(choice.next()).toBe(two)
  await close(two, 30)
  expect(choice.next()).toBe(spare)
  await close(spare, 400)
  // All are closed: the one that opens first.
  expect([one, two]).toContain(choice.next())
})

test('nobody is waited for longer than the provider’s patience, and none is left after that', async () => {
  const { choice, one, two, spare, close, pass } = await threeCandidates()
  await close(one, 61)
  await close(two, 61)
  expect(choice.next()).toBe(spare)
  choice.failed(spare, { kind: 'switch', message: 'No credit.' })
  expect(choice.next()).toBeUndefined()
  choice.failed(one, busy)
  pass(2 * MINUTE)
  // Both are open again, but the time is over.
  expect(choice.next()).toBeUndefined()
})

test('a request that failed by itself is made again four times, and what needs a person not at all', async () => {
  const { choice, one, two } = await threeCandidates()
  for (let n = 1; n <= 4; n++) {
    choice.failed(one, { kind: 'retry', message: 'Broke off.' })
    expect([choice.next(), choice.failures(one)]).toEqual([one, n])
  }
  choice.failed(one, { kind: 'retry', message: 'Broke off.' })
  expect(choice.next()).toBe(two)
  choice.failed(two, { kind: 'context', message: 'Too long.' })
  expect(choice.next()).toBeUndefined()
})
