import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../files.ts'
import { signatureOf } from './anthropic-rules.ts'
import { modelOf, protocols, runtimeFor, takeStep, user } from './runtime.ts'
import { startVendor, type Vendor } from './server.ts'

let vendor: Vendor
beforeAll(async () => {
  vendor = await startVendor({ keys: ['good'], models: ['one', 'two'] })
})
afterAll(() => vendor.close())

const post = (path: string, body: unknown, key = 'good'): Promise<Response> =>
  fetch(`${vendor.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
const hi = { role: 'user', content: 'hi' }

describe('the messages API refuses', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'bash', input: {} })
  const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
  const says = (...content: object[]) => ({ role: 'assistant', content })
  const replies = (...content: object[]) => ({ role: 'user', content })
  test.each([
    ['no messages', []],
    ['an assistant message first', [says({ type: 'text', text: 'x' }), hi]],
    ['an assistant message last', [hi, says({ type: 'text', text: 'x' })]],
    ['two messages of one role in a row', [hi, hi]],
    ['an unknown role', [{ role: 'system', content: 'x' }, hi]],
    ['empty content', [replies()]],
    ['blank text', [replies({ type: 'text', text: ' ' })]],
    ['a call without a result', [hi, says(use('a')), hi]],
    ['half of the results', [hi, says(use('a'), use('b')), replies(answer('a'))]],
    ['a result twice', [hi, says(use('a')), replies(answer('a'), answer('a'))]],
    ['a result of no call', [replies(answer('a'))]],
    ['a result behind other content', [hi, says(use('a')), replies({ type: 'text', text: 'x' }, answer('a'))]],
    ['an id used twice', [hi, says(use('a')), replies(answer('a')), says(use('a')), replies(answer('a'))]],
    ['an id with odd characters', [hi, says(use('a:1')), replies(answer('a:1'))]],
    ['input that is no object', [hi, says({ ...use('a'), input: 'x' }), replies(answer('a'))]],
    ['a failed result without content', [hi, says(use('a')), replies({ ...answer('a'), content: '', is_error: true })]],
    ['a thought with a forged signature', [hi, says({ type: 'thinking', thinking: 'x', signature: 'y' }, use('a'))]],
    ['a message that ends in a thought', [hi, says(thought('x')), hi]],
    ['a picture of an unknown kind', [replies({ type: 'image', source: { type: 'base64', media_type: 'image/bmp' } })]],
  ])('%s', async (_name, messages) => {
    const body = { model: 'm', max_tokens: 10, tools: [{ name: 'bash', input_schema: {} }], messages }
    const response = await post('messages', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(vendor.rejections.at(-1)?.body).toEqual(body)
  })

  test('a request without max_tokens, without a version, or with calls but no tools', async () => {
    expect((await post('messages', { model: 'm', messages: [hi] })).status).toBe(400)
    const bare = await fetch(`${vendor.url}/v1/messages`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': 'good' },
    })
    expect(bare.status).toBe(400)
    const messages = [hi, says(use('a')), replies(answer('a'))]
    expect((await post('messages', { model: 'm', max_tokens: 1, messages })).status).toBe(400)
  })
})

describe('chat completions refuse', () => {
  const fn = { name: 'bash', arguments: '{}' }
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: fn })),
  })
  const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
  const odd = (change: object) => [
    hi,
    { ...calls(), tool_calls: [{ id: 'a', type: 'function', function: { ...fn, ...change } }] },
    answer('a'),
  ]
  test.each([
    ['no messages', []],
    ['an unknown role', [{ role: 'robot', content: 'x' }]],
    ['empty content', [{ role: 'user', content: '' }]],
    ['a call without a result', [hi, calls('a'), hi]],
    ['a call without a result at the end', [hi, calls('a')]],
    ['half of the results', [hi, calls('a', 'b'), answer('a'), hi]],
    ['a result twice', [hi, calls('a'), answer('a'), answer('a')]],
    ['a result of no call', [hi, answer('a')]],
    ['an id used twice', [hi, calls('a'), answer('a'), calls('a'), answer('a')]],
    ['an id that is too long', [hi, calls('a'.repeat(41)), answer('a'.repeat(41))]],
    ['no calls in a list of calls', [hi, calls()]],
    ['a name with odd characters', odd({ name: 'a.b' })],
    ['arguments that are no object', odd({ arguments: '"x"' })],
    ['an answer without content', [hi, { role: 'assistant', content: '' }]],
  ])('%s', async (_name, messages) => {
    const response = await post('chat/completions', { model: 'm', messages })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })
})

test('a wrong key gets 401, an unknown path 404, and the models are listed', async () => {
  expect((await post('messages', { model: 'm', max_tokens: 1, messages: [hi] }, 'bad')).status).toBe(401)
  expect((await post('embeddings', {})).status).toBe(404)
  const models = await (await fetch(`${vendor.url}/v1/models`)).json()
  expect(models).toMatchObject({ data: [{ id: 'one' }, { id: 'two' }] })
})

test.each(protocols)('runs as a process of its own, scripted by a file, with a witness, over %s', async (protocol) => {
  const folder = makeFolder()
  const [script, witness] = [join(folder, 'script.json'), join(folder, 'seen.jsonl')]
  const steps = [{ calls: [{ name: 'bash', input: {} }] }, { text: 'Done.' }]
  await writeFile(
    script,
    JSON.stringify([
      { word: 'apples', steps },
      { model: 'other', queue: [{ text: 'Other.' }] },
    ]),
  )
  const child = spawn(process.execPath, [main, '--port', '0', '--script', script, '--witness', witness])
  try {
    const url = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data) => resolve(String(data).trim())),
    )
    const runtime = runtimeFor({ baseURL: `${url}/v1` })
    const model = modelOf(protocol)
    const first = await takeStep(runtime, { model, history: [user('apples')] })
    const again = await takeStep(runtime, { model, history: [user('apples')] })
    expect([first.finish, again.finish]).toEqual(['tool-calls', 'tool-calls'])
    const said = user('', { role: 'assistant', parts: [...first.parts] })
    expect((await takeStep(runtime, { model, history: [user('apples'), said] })).parts).toMatchObject([
      { text: 'Done.' },
    ])
    const other = await takeStep(runtime, { model: modelOf(protocol, 'other') })
    expect(other.parts).toMatchObject([{ text: 'Other.' }])
    const lines = (await readFile(witness, 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ number: 1 }, {}, {}, { number: 4 }])
  } finally {
    child.kill()
  }
})

const main = new URL('./main.ts', import.meta.url).pathname

function thought(text: string): object {
  return { type: 'thinking', thinking: text, signature: signatureOf(text) }
}
