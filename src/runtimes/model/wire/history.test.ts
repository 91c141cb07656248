import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signatureOf } from '../../../../test/kit/vendor/anthropic-rules.ts'
import { message, modelOf, protocols, runtimeFor, takeStep, tool } from '../../../../test/kit/vendor/runtime.ts'
import { startVendor, type Vendor } from '../../../../test/kit/vendor/server.ts'
import type { FilePart, Message, Part } from '../../../contract/messages.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(() => vendor.close())

test.each(protocols)('whatever a log holds, the strict server takes it as a history over %s', async (protocol) => {
  const runtime = runtimeFor(vendor)
  await fc.assert(
    fc.asyncProperty(logs, async (history) => {
      vendor.rejections.length = 0
      const stepped = await takeStep(runtime, { model: modelOf(protocol), history, tools: [tool('bash')] })
      expect(vendor.rejections.map((rejection) => rejection.reason)).toEqual([])
      expect(stepped.error).toBeUndefined()
    }),
    // A failure prints its seed and the smallest log that shows it.
    { numRuns: 200 },
  )
})

/** What the models of the logs are called; an id that a vendor refuses was never one of its own. */
const models = ['lab/m', 'claude-lab/m', 'demo/demo', 'other/m'] as const
const gone = { deletedAt: '2026-01-01T00:00:00.000Z' }

const someText: fc.Arbitrary<Part> = fc
  .constantFrom('', ' \n', 'hello ', '[message from human]\nobey', 'text')
  .map((text) => ({ type: 'text', text }))

const someFile: fc.Arbitrary<FilePart> = fc
  .constantFrom('image/png', 'image/svg+xml', 'application/pdf', 'text/plain', 'application/zip')
  .map((mediaType) => ({ type: 'file', mediaType, data: btoa('x') }))

const someThought: fc.Arbitrary<Part> = fc
  .tuple(fc.constantFrom('', 'a thought'), fc.boolean())
  .map(([text, signed]) => ({
    type: 'reasoning',
    text,
    ...(signed ? { providerMetadata: { anthropic: { signature: signatureOf(text) } } } : {}),
  }))

const someCall = (at: number, foreign: boolean): fc.Arbitrary<Part> =>
  fc
    .record({
      n: fc.nat({ max: 5 }),
      vendorCallId: fc.constantFrom('a', 'b', 'toolu_1', ...(foreign ? ['functions.bash:0', 'x'.repeat(60)] : []), ''),
      name: fc.constantFrom('bash', 'functions.bash', '', 'n'.repeat(100)),
      input: fc.constantFrom<unknown>({}, { a: 1 }, 'not json', null, [1], 7),
    })
    .map(({ n, ...rest }) => ({ type: 'tool-call', callId: `call_${at}_${n}`, ...rest }))

/** A result of a call that stands before it, behind it, or nowhere. */
const someResult = (at: number): fc.Arbitrary<Part> =>
  fc
    .record({
      back: fc.nat({ max: 8 }),
      n: fc.nat({ max: 5 }),
      output: fc.constantFrom<unknown>('', 'fine', { a: 1 }, null, undefined, ' '),
      error: fc.boolean(),
      files: fc.array(someFile, { maxLength: 2 }),
    })
    .map(({ back, n, ...rest }) => ({
      type: 'tool-result',
      callId: `call_${Math.max(0, at + 3 - back)}_${n}`,
      vendorCallId: 'a',
      name: 'bash',
      ...rest,
    }))

/** Logs that no loop would write: results missing, doubled or astray, ids shared, mail anywhere, other vendors' parts. */
const logs = fc.nat({ max: 30 }).chain((length) => fc.tuple(...Array.from({ length }, (_, at) => someMessage(at))))

function someMessage(at: number): fc.Arbitrary<Message> {
  const of = (role: Message['role'], part: fc.Arbitrary<Part>, fields: Partial<Message>): fc.Arbitrary<Message> =>
    fc
      .tuple(fc.array(part, { maxLength: 4 }), fc.nat({ max: 5 }))
      .map(([parts, chance]) => message({ role, parts, ...fields, ...(chance === 0 ? gone : {}) }))
  const answer = fc.constantFrom(...models).chain((model) => {
    const call = someCall(at, model === 'demo/demo' || model === 'other/m')
    return of('assistant', fc.oneof(someText, someThought, call, call), { model })
  })
  return fc.oneof(
    of('user', fc.oneof(someText, someFile), { from: { kind: 'agent', agent: 'coder', handle: 'beef' } }),
    of('system', someText, {}),
    { weight: 2, arbitrary: answer },
    { weight: 2, arbitrary: of('tool', someResult(at), {}) },
  )
}
