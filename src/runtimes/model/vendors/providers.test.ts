import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runtimeFor, stepWith, takeStep } from '../../../../test/kit/vendor/runtime.ts'
import { startVendor } from '../../../../test/kit/vendor/server.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createModelRuntime, defaultModelName, type ProviderView } from '../index.ts'
import { ollamaURL } from './ollama.ts'

const project = { id: 'p', path: '/' }
const none: ProviderView = { providers: {} }
const lab = { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' } as const

/** Nobody listens there: what runs on the developer's machine is not part of a test. */
const nowhere = '127.0.0.1:9'

const runtimeOf = (view: ProviderView, env: Record<string, string> = {}) =>
  createModelRuntime({
    env: { OLLAMA_HOST: nowhere, ...env },
    settings: () => view,
    clock: systemClock,
    demoDelayMs: 0,
  })

test('with nothing configured the demo is the only model, the default, and works', async () => {
  const runtime = runtimeOf(none)
  expect(await runtime.models.list(project)).toEqual([
    { name: 'demo/demo', provider: 'demo', usable: true, isDefault: true, price: { input: 0, output: 0 } },
  ])
  expect(await runtime.models.defaultModel(project)).toBe('demo/demo')
  expect((await takeStep(runtime, { model: 'demo/demo' })).finish).toBe('stop')
})

test('a key in the environment brings its provider, and its first model becomes the default', async () => {
  const env = { ANTHROPIC_API_KEY: 'k' }
  expect(defaultModelName(none, env)).toMatch(/^anthropic\/claude-/)
  const models = await runtimeOf(none, env).models.list(project)
  expect(models.filter((model) => model.provider === 'anthropic').every((model) => model.usable)).toBe(true)
})

test('settings win over the environment, and the configured default over both', () => {
  const view: ProviderView = { providers: { lab: { ...lab, models: ['m1', 'm2'] } } }
  expect(defaultModelName(view, { ANTHROPIC_API_KEY: 'k' })).toBe('lab/m1')
  expect(defaultModelName({ ...view, defaultModel: 'lab/m2' }, {})).toBe('lab/m2')
})

test('the key of the environment is not sent to an address that settings chose', async () => {
  const vendor = await startVendor()
  const view: ProviderView = { providers: { anthropic: { baseURL: vendor.baseURL } } }
  const { models } = runtimeOf(view, { ANTHROPIC_API_KEY: 'precious' })
  expect(await models.candidates(project, ['anthropic/m'])).toEqual({
    usable: [],
    left: [{ model: 'anthropic/m', reason: expect.stringContaining('has no key') }],
  })
  expect(vendor.requests).toEqual([])
  await vendor.close()
})

test('the environment may name another address for its key, with or without the path', async () => {
  const vendor = await startVendor()
  for (const address of [vendor.baseURL, new URL(vendor.baseURL).origin]) {
    const runtime = runtimeOf(none, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: address })
    expect((await takeStep(runtime, { model: 'anthropic/m' })).finish).toBe('stop')
  }
  expect(vendor.requests).toHaveLength(2)
  await vendor.close()
})

test('a variable that is not set makes the provider unusable, by name', async () => {
  const view: ProviderView = {
    providers: { lab: { ...lab, apiKey: '$LAB_KEY', headers: { 'x-team': '$TEAM' }, models: ['m'] } },
  }
  const [model] = await runtimeOf(view, {}).models.list(project)
  expect(model).toMatchObject({ name: 'lab/m', usable: false, reason: expect.stringContaining('$LAB_KEY, $TEAM') })
  expect(defaultModelName(view, {})).toBe('demo/demo')
  const { left } = await runtimeOf(view, {}).models.candidates(project, ['lab/m'])
  expect(left).toEqual([{ model: 'lab/m', reason: expect.stringContaining('$LAB_KEY') }])
})

test('keys and headers are read from the environment and sent', async () => {
  const vendor = await startVendor()
  const view = { providers: { lab: { ...lab, baseURL: vendor.baseURL, apiKey: '$LAB_KEY' } } }
  await takeStep(runtimeOf(view, { LAB_KEY: 'from-env' }), { model: 'lab/m' })
  expect(vendor.requests[0]?.key).toBe('from-env')
  await vendor.close()
})

test.each([
  ['nowhere/m', /no provider "nowhere"/],
  ['just-a-word', /must be "provider\/model"/],
  ['lab/unlisted', /list no model "unlisted"/],
  ['google/gemini', /has no key; set GEMINI_API_KEY or providers\.google\.apiKey/],
  ['odd/m', /needs a type/],
  [
    'anthropic/claude',
    /no key of anthropic for the model "anthropic\/claude": set ANTHROPIC_API_KEY, then "troupe down"/,
  ],
])('the model %s is refused with what can be used instead', async (model, sentence) => {
  const view: ProviderView = { providers: { lab: { ...lab, models: ['m1'] }, google: {}, odd: {} } }
  const { usable, left } = await runtimeOf(view).models.candidates(project, [model])
  expect({ usable, left: left.map((one) => one.model) }).toEqual({ usable: [], left: [model] })
  expect(left[0]?.reason).toMatch(sentence)
  expect(left[0]?.reason).toContain('Usable: lab/m1, demo/demo.')
})

test('a server whose settings list no models is asked for them, and a dead one is shown with a reason', async () => {
  const vendor = await startVendor({ models: ['small', 'large'] })
  const runtime = runtimeFor(vendor)
  const names = (await runtime.models.list(project)).filter(({ provider }) => provider === 'lab')
  expect(names).toMatchObject([
    { name: 'lab/small', usable: true },
    { name: 'lab/large', usable: true },
  ])
  await vendor.close()
  const [gone] = (await runtime.models.list(project)).filter(({ provider }) => provider === 'lab')
  expect(gone).toMatchObject({ usable: false, reason: expect.stringContaining('providers.lab.models') })
})

test('keys in the environment bring every vendor, each with models', async () => {
  const env = { OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g', OPENROUTER_API_KEY: 'r' }
  const models = await runtimeOf(none, env).models.list(project)
  const usable = new Set(models.filter((model) => model.usable).map(({ provider }) => provider))
  expect([...usable]).toEqual(['openai', 'google', 'openrouter', 'demo'])
  expect(models.find(({ isDefault }) => isDefault)?.provider).toBe('openai')
})

describe('accounts', () => {
  const accounts = [
    { name: 'work', apiKey: '$WORK' },
    { name: 'home', apiKey: 'home-key', headers: { 'x-team': 'blue' } },
  ]
  const view: ProviderView = { providers: { lab: { ...lab, apiKey: 'first-key', accounts } } }

  test('the single key is the account "default" before the others, and each is sent with its own key', async () => {
    const vendor = await startVendor()
    const at = { providers: { lab: { ...lab, baseURL: vendor.baseURL, apiKey: 'first-key', accounts } } }
    const runtime = runtimeOf(at, { WORK: 'work-key' })
    const { usable } = await runtime.models.candidates(project, ['lab/m', 'lab/n'])
    expect(usable.map(({ model, account }) => `${model} ${account}`)).toEqual([
      ...['lab/m default', 'lab/m work', 'lab/m home'],
      ...['lab/n default', 'lab/n work', 'lab/n home'],
    ])
    for (const { model, account } of usable.slice(0, 3)) await takeStep(runtime, { model, account })
    expect(vendor.requests.map(({ key }) => key)).toEqual(['first-key', 'work-key', 'home-key'])
    await vendor.close()
  })

  test('one that cannot be used is left out of the chain and listed with the reason, without any key', async () => {
    const runtime = runtimeOf(view)
    const { usable, left } = await runtime.models.candidates(project, ['nowhere/m', 'lab/m'])
    expect(usable.map(({ account }) => account)).toEqual(['default', 'home'])
    expect(left).toEqual([{ model: 'nowhere/m', reason: expect.stringContaining('no provider "nowhere"') }])
    const infos = await runtime.models.accounts(project)
    expect(infos).toMatchObject([
      { name: 'default', usable: true, waiting: 0 },
      { name: 'work', usable: false, reason: expect.stringContaining('$WORK') },
      { name: 'home', usable: true },
    ])
    expect(JSON.stringify(infos)).not.toMatch(/first-key|home-key/)
  })

  test('a candidate is asked as the settings were when it was found, whatever was found since', async () => {
    const vendor = await startVendor()
    let apiKey = 'old-key'
    const runtime = createModelRuntime({
      env: {},
      clock: systemClock,
      settings: () => ({ providers: { lab: { ...lab, baseURL: vendor.baseURL, apiKey } } }),
    })
    const { usable: before } = await runtime.models.candidates(project, ['lab/m'])
    apiKey = 'new-key'
    const { usable: after } = await runtime.models.candidates(project, ['lab/m'])
    for (const candidate of [...before, ...after]) await stepWith(runtime, candidate)
    expect(vendor.requests.map(({ key }) => key)).toEqual(['old-key', 'new-key'])
    await vendor.close()
  })
})

describe('a local Ollama', () => {
  const serve = async (models: object[], asked: string[] = []) => {
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end(JSON.stringify({ models }))
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const installed = [
    { name: 'nomic-embed-text:latest', details: { family: 'nomic-bert' } },
    { name: 'qwen4:8b', details: { family: 'qwen4' } },
  ]

  test('is found by itself, without its embedding models, and is preferred to the demo', async () => {
    const asked: string[] = []
    const runtime = runtimeOf(none, { OLLAMA_HOST: await serve(installed, asked) })
    expect((await runtime.models.list(project)).map(({ name }) => name)).toEqual(['ollama/qwen4:8b', 'demo/demo'])
    expect(await runtime.models.defaultModel(project)).toBe('ollama/qwen4:8b')
    expect(asked).toEqual(['/api/tags'])
  })

  test('is not asked for a turn, nor for a default when there is another', async () => {
    const asked: string[] = []
    const runtime = runtimeOf(none, { OLLAMA_HOST: await serve(installed, asked), OPENAI_API_KEY: 'k' })
    expect(await runtime.models.defaultModel(project)).toMatch(/^openai\//)
    await takeStep(runtime, { model: 'demo/demo' })
    await runtime.models.candidates(project, ['demo/demo'])
    expect(asked).toEqual([])
  })

  test.each([
    [undefined, 'http://127.0.0.1:11434/v1'],
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['gpu.lan:8080', 'http://gpu.lan:8080/v1'],
    ['https://gpu.lan/', 'https://gpu.lan/v1'],
    ['http://no address', 'http://invalid.invalid/v1'],
  ])('is looked for where OLLAMA_HOST (%s) says', (host, url) => {
    expect(ollamaURL(host === undefined ? {} : { OLLAMA_HOST: host })).toBe(url)
  })
})
