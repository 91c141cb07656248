import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  message,
  modelOf,
  type ProtocolName,
  protocols,
  runtimeFor,
  takeStep,
  tool,
  user,
} from '../../../../test/kit/vendor/runtime.ts'
import { type Reply, startVendor, type Vendor } from '../../../../test/kit/vendor/server.ts'
import { callsOf, type Message, type Part } from '../../../contract/messages.ts'
import type { ModelRuntime } from '../index.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(() => vendor.close())

const picture: Part = { type: 'file', mediaType: 'image/png', name: 'a.png', data: btoa('pixels') }

interface Move {
  readonly protocol: ProtocolName
  readonly reply: Reply
  /** What a tool gives back for each call. */
  readonly withPicture: boolean
  readonly failed: boolean
}

const moves = fc.array(
  fc.record({
    protocol: fc.constantFrom(...protocols),
    reply: fc.record({
      reasoning: fc.constantFrom('', 'Let me think about it.'),
      text: fc.constantFrom('', 'I say this.'),
      calls: fc.array(
        fc.record({ name: fc.constantFrom('bash', 'read_file'), input: fc.constantFrom({}, { path: 'a' }) }),
        {
          maxLength: 3,
        },
      ),
    }),
    withPicture: fc.boolean(),
    failed: fc.boolean(),
  }),
  { minLength: 2, maxLength: 7 },
)

test('a conversation may change its vendor at any step, with calls, thoughts and pictures behind it', async () => {
  const runtime = runtimeFor(vendor)
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      vendor.rejections.length = 0
      let history: Message[] = [user('begin'), message({ role: 'user', parts: [picture], from: { kind: 'human' } })]
      for (const move of steps) history = await play(runtime, history, move)
      expect(vendor.rejections.map(({ protocol, reason }) => `${protocol}: ${reason}`)).toEqual([])
    }),
    { numRuns: 60 },
  )
})

async function play(runtime: ModelRuntime, history: Message[], move: Move): Promise<Message[]> {
  const { protocol, reply } = move
  const model = modelOf(protocol, 'gpt-6-sol')
  vendor.script(() => (reply.text || reply.calls?.length ? reply : { ...reply, text: 'Well.' }))
  const result = await takeStep(runtime, { model, history, tools: [tool('bash'), tool('read_file')] })
  expect(result.error).toBeUndefined()
  expectNothingLost(history)
  const results = callsOf(result.parts).map(({ callId, vendorCallId, name }) =>
    message({
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId,
          vendorCallId,
          name,
          output: `came of ${callId}`,
          ...(move.failed ? { error: true } : {}),
          ...(move.withPicture ? { files: [picture as Extract<Part, { type: 'file' }>] } : {}),
        },
      ],
    }),
  )
  return [...history, message({ role: 'assistant', parts: [...result.parts], model }), ...results, user('go on')]
}

/** Everything said and done before is in the request, whoever said it. */
function expectNothingLost(history: readonly Message[]): void {
  const seen = vendor.requests.at(-1)?.messages ?? []
  const count = (of: (message: Message) => number): number => history.reduce((sum, item) => sum + of(item), 0)
  const calls = seen.reduce((sum, item) => sum + item.calls.length, 0)
  expect(calls).toBe(count(({ parts }) => callsOf(parts).length))
  const results = JSON.stringify(seen.flatMap((item) => item.results.map(({ text }) => text)))
  for (const { parts } of history)
    for (const part of parts) if (part.type === 'tool-result') expect(results).toContain(part.output)
  const texts = seen.map(({ text }) => text).join('\n')
  expect(texts.split('I say this.').length - 1).toBe(
    count(({ parts }) => parts.filter((part) => part.type === 'text' && part.text === 'I say this.').length),
  )
}

test.each(['anthropic', 'openai', 'google', 'openrouter'] as const)(
  'pictures in the result of a call are shown over %s, and a person’s too',
  async (protocol) => {
    const call = { type: 'tool-call' as const, callId: 'call_1', vendorCallId: 'v1', name: 'bash', input: {} }
    const result = {
      type: 'tool-result' as const,
      callId: 'call_1',
      vendorCallId: 'v1',
      name: 'bash',
      output: 'a picture',
    }
    const history = [
      user('look', { parts: [{ type: 'text', text: 'look' }, picture] }),
      message({ role: 'assistant', parts: [call] }),
      message({ role: 'tool', parts: [{ ...result, files: [picture as Extract<Part, { type: 'file' }>] }] }),
    ]
    vendor.script(() => ({ text: 'Nice.' }))
    await takeStep(runtimeFor(vendor), { model: modelOf(protocol), history, tools: [tool('bash')] })
    const { body } = vendor.requests.at(-1) ?? {}
    expect(JSON.stringify(body).split(btoa('pixels'))).toHaveLength(3)
  },
)

test('the system prompt and the newest message carry cache marks where the vendor wants them, and nothing else does', async () => {
  vendor.script(() => ({ text: 'Yes.' }))
  const history = [user('one'), message({ role: 'assistant', parts: [{ type: 'text', text: 'two' }] }), user('three')]
  await takeStep(runtimeFor(vendor), { model: modelOf('anthropic'), history, tools: [tool('bash')] })
  const body = vendor.requests.at(-1)?.body as {
    system: { cache_control?: object }[]
    messages: { content: { text: string; cache_control?: object }[] }[]
  }
  expect(body.system.map(({ cache_control }) => cache_control)).toEqual([{ type: 'ephemeral' }])
  const marked = body.messages.flatMap(({ content }) => content).filter(({ cache_control }) => cache_control)
  expect(marked.map(({ text }) => text)).toEqual(['[message from human]\nthree'])
})

test('encrypted thoughts go back only to the account that they were made for', async () => {
  const accounts = [
    { name: 'one', apiKey: 'key-one-0123456789' },
    { name: 'two', apiKey: 'key-two-0123456789' },
  ]
  const providers = { gpt: { type: 'openai' as const, baseURL: vendor.baseURL, accounts } }
  const runtime = runtimeFor(vendor, { settings: () => ({ providers }) })
  const model = 'gpt/gpt-6-sol'
  vendor.script(() => ({ reasoning: 'Secret thoughts.', text: 'Yes.' }))
  const first = await takeStep(runtime, { model, account: 'one' })
  const said = message({ role: 'assistant', parts: [...first.parts], model })
  const history = [user('hello'), said, user('sure?')]
  await takeStep(runtime, { model, account: 'one', history })
  expect(vendor.requests.at(-1)?.messages[1]?.reasoning).toBe('Secret thoughts.')
  const other = await takeStep(runtime, { model, account: 'two', history })
  expect(other.error).toBeUndefined()
  expect(vendor.requests.at(-1)?.messages[1]).toMatchObject({ reasoning: '', text: 'Yes.' })
})

test('a broker’s own word for what an answer cost is believed', async () => {
  vendor.script(() => ({ text: 'Yes.', cost: 0.0123 }))
  expect((await takeStep(runtimeFor(vendor), { model: modelOf('openrouter') })).costUsd).toBe(0.0123)
})

test('thoughts of one vendor behind a broker do not go to another', async () => {
  vendor.script(() => ({ reasoning: 'Hm.', text: 'Yes.' }))
  const runtime = runtimeFor(vendor)
  const first = await takeStep(runtime, { model: modelOf('openrouter', 'anthropic/claude') })
  const said = message({ role: 'assistant', parts: [...first.parts], model: modelOf('openrouter', 'anthropic/claude') })
  const history = [user('hello'), said, user('sure?')]
  await takeStep(runtime, { model: modelOf('openrouter', 'anthropic/other'), history })
  expect(vendor.requests.at(-1)?.messages[1]?.reasoning).toBe('Hm.')
  await takeStep(runtime, { model: modelOf('openrouter', 'google/gemini'), history })
  expect(vendor.requests.at(-1)?.messages[1]?.reasoning).toBe('')
})

test('a prompt that the vendor blocks is a refusal, not an empty answer', async () => {
  vendor.script(() => ({ finish: 'BLOCKED' }))
  const result = await takeStep(runtimeFor(vendor), { model: modelOf('google') })
  expect(result).toMatchObject({ finish: 'refused', error: { kind: 'refused' } })
})
