import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { message, runtimeFor, takeStep, tool, user } from '../../../../test/kit/vendor/runtime.ts'
import { startVendor, type Vendor } from '../../../../test/kit/vendor/server.ts'
import { callsOf, textOf } from '../../../contract/messages.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(() => vendor.close())

const step = async (text: string, pieces: number, finish?: string) => {
  vendor.script(() => ({ text, chunks: Math.ceil(text.length / pieces), ...(finish ? { finish } : {}) }))
  return takeStep(runtimeOf(), { model: 'lab/m', tools: [tool('bash'), tool('write_file')] })
}
const runtimeOf = () =>
  runtimeFor(vendor, {
    settings: () => ({
      providers: { lab: { type: 'openai-compatible', baseURL: vendor.baseURL, toolCalling: { m: 'text' } } },
    }),
  })
const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`

// Pieces of one character and up: a tag may come apart anywhere.
describe.each([1, 2, 7, 1000])('in pieces of %i characters', (size) => {
  test('several calls come out of the text, and no tag is shown', async () => {
    const text = `I look at 2 < 3.\n${call('bash', { command: 'ls' })}\n${call('bash', { command: 'pwd' })}\n`
    const result = await step(text, size)
    expect(result.finish).toBe('tool-calls')
    expect(callsOf(result.parts)).toMatchObject([
      { name: 'bash', input: { command: 'ls' } },
      { name: 'bash', input: { command: 'pwd' } },
    ])
    expect(textOf(result.parts)).toBe('I look at 2 < 3.')
    expect(result.deltas.map(({ text }) => text).join('')).toBe('I look at 2 < 3.')
  })

  test('a call may carry the tag itself in a string', async () => {
    const args = { path: 'a.md', content: 'Write <tool_call>{}</tool_call> like this, "quoted" \\ so.' }
    const result = await step(`${call('write_file', args)} and done`, size)
    expect(callsOf(result.parts)).toMatchObject([{ name: 'write_file', input: args }])
    expect(textOf(result.parts)).toBe('and done')
  })

  test.each([
    ['no JSON', '<tool_call>bash ls</tool_call>', 'unreadable_call'],
    ['half a JSON', '<tool_call>{"name": "bash", "arguments": {</tool_call>', 'bash'],
    ['no name', '<tool_call>{"arguments": {}}</tool_call>', 'unreadable_call'],
    ['no end', 'Now: <tool_call>{"name": "bash", "arguments": {"command": "l', 'bash'],
  ])('one with %s is still a call, so that it is answered', async (_name, text, name) => {
    const result = await step(`${text} ${call('bash', { command: 'ls' })}`.replace(/(l) <tool_call>.*$/, '$1'), size)
    const [first] = callsOf(result.parts)
    expect(first).toMatchObject({ name, input: expect.stringContaining('not {"name", "arguments"} in JSON') })
    expect(JSON.stringify(result.deltas)).not.toContain('tool_call')
    expect(textOf(result.parts)).not.toContain('tool_call')
  })

  test('a call that the limit cut in half is kept as text, so that the model is told', async () => {
    const result = await step('Well. <tool_call>{"name": "bash", "argu', size, 'length')
    const half = { name: 'bash', input: expect.stringContaining('"argu') }
    expect(result).toMatchObject({ finish: 'length', parts: [{ type: 'text', text: 'Well.' }, half] })
  })

  test.each(['json', 'tool_call'])('a call in a block of %s is a call', async (word) => {
    const args = { path: 'a.md', content: 'Like this:\n```js\nlet a\n```\n' }
    const block = `\`\`\`${word}\n${JSON.stringify({ name: 'write_file', arguments: args })}\n\`\`\``
    const result = await step(`I write it.\n\n${block}\nand done`, size)
    expect(callsOf(result.parts)).toMatchObject([{ name: 'write_file', input: args }])
    expect(textOf(result.parts)).toBe('I write it.and done')
  })

  test.each([
    ['another object', '{"name": "Ann", "age": 3}'],
    ['no tool', '{"name": "no_tool", "arguments": {}}'],
    ['a list', '[1, 2]'],
    ['no end', '{"name": "bash", "argum'],
  ])('a block with %s is text', async (_name, json) => {
    const text = `See:\n\n\`\`\`json\n${json}\n\`\`\`\nand \`\`\`js\nx\n\`\`\``
    const shown = json.endsWith('argum') ? text.slice(0, text.indexOf('argum') + 5) : text
    const result = await step(shown, size)
    expect(callsOf(result.parts)).toEqual([])
    expect(textOf(result.parts)).toBe(shown)
  })

  test('text that only looks like the beginning of a tag is shown whole', async () => {
    const text = 'a <tool b <tool_cal c <'
    expect(textOf((await step(text, size)).parts)).toBe(text)
  })
})

test('the schemas go into the system prompt, calls and results into the text, and nothing as tools', async () => {
  vendor.script(() => ({ text: 'Done.' }))
  const made = {
    type: 'tool-call' as const,
    callId: 'call_1',
    vendorCallId: 'v1',
    name: 'bash',
    input: { command: 'ls' },
  }
  const result = { type: 'tool-result' as const, callId: 'call_1', vendorCallId: 'v1', name: 'bash', output: 'a.txt' }
  const history = [
    user('look'),
    message({ role: 'assistant', parts: [{ type: 'text', text: 'Looking.' }, made], model: 'claude-lab/m' }),
    message({ role: 'tool', parts: [result] }),
  ]
  const given = await takeStep(runtimeOf(), {
    model: 'lab/m',
    history,
    tools: [tool('bash', { command: { type: 'string' } })],
  })
  expect(given.error).toBeUndefined()
  const seen = vendor.requests.at(-1)
  expect(seen?.tools).toEqual([])
  expect(seen?.system).toContain('{"type":"object","properties":{"command":{"type":"string"}}}')
  expect(seen?.messages[1]?.text).toContain('<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>')
  expect(seen?.messages[2]).toMatchObject({ role: 'user', text: '<tool_result name="bash">\na.txt\n</tool_result>' })
  expect(vendor.rejections).toEqual([])
})
