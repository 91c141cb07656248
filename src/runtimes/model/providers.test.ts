import { expect, test } from 'vitest'
import { runtimeFor, takeStep } from '../../../test/vendor/runtime.ts'
import { startVendor } from '../../../test/vendor/server.ts'
import { systemClock } from '../../lib/clock.ts'
import { createModelRuntime, defaultModelName, type ProviderView } from './index.ts'

const project = { id: 'p', path: '/' }
const none: ProviderView = { providers: {} }
const lab = { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' } as const

const runtimeOf = (view: ProviderView, env: Record<string, string> = {}) =>
  createModelRuntime({ env, settings: () => view, clock: systemClock, demoDelayMs: 0 })

test('with nothing configured the demo is the only model, the default, and works', async () => {
  const runtime = runtimeOf(none)
  expect(await runtime.models(project)).toEqual([
    { name: 'demo/demo', provider: 'demo', usable: true, isDefault: true },
  ])
  expect(await runtime.defaultModel(project)).toBe('demo/demo')
  expect((await takeStep(runtime, { model: 'demo/demo' })).finish).toBe('stop')
})

test('a key in the environment brings its provider, and its first model becomes the default', async () => {
  const env = { ANTHROPIC_API_KEY: 'k' }
  expect(defaultModelName(none, env)).toMatch(/^anthropic\/claude-/)
  const models = await runtimeOf(none, env).models(project)
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
  const result = await takeStep(runtimeOf(view, { ANTHROPIC_API_KEY: 'precious' }), { model: 'anthropic/m' })
  expect(result.error).toMatchObject({ kind: 'bad-request', message: expect.stringContaining('has no key') })
  expect(vendor.requests).toEqual([])
  await vendor.close()
})

test('a variable that is not set makes the provider unusable, by name', async () => {
  const view: ProviderView = {
    providers: { lab: { ...lab, apiKey: '$LAB_KEY', headers: { 'x-team': '$TEAM' }, models: ['m'] } },
  }
  const [model] = await runtimeOf(view, {}).models(project)
  expect(model).toMatchObject({ name: 'lab/m', usable: false, reason: expect.stringContaining('$LAB_KEY, $TEAM') })
  expect(defaultModelName(view, {})).toBe('demo/demo')
  const result = await takeStep(runtimeOf(view, {}), { model: 'lab/m' })
  expect(result.error).toMatchObject({ kind: 'bad-request', message: expect.stringContaining('$LAB_KEY') })
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
])('the model %s is refused with what can be used instead', async (model, sentence) => {
  const view: ProviderView = { providers: { lab: { ...lab, models: ['m1'] }, google: {}, odd: {} } }
  const { error, finish, parts } = await takeStep(runtimeOf(view), { model })
  expect({ finish, parts, kind: error?.kind }).toEqual({ finish: 'error', parts: [], kind: 'bad-request' })
  expect(error?.message).toMatch(sentence)
  expect(error?.message).toContain('Usable: lab/m1, demo/demo.')
})

test('a server whose settings list no models is asked for them, and a dead one is shown with a reason', async () => {
  const vendor = await startVendor({ models: ['small', 'large'] })
  const runtime = runtimeFor(vendor)
  const names = (await runtime.models(project)).filter(({ provider }) => provider === 'lab')
  expect(names).toMatchObject([
    { name: 'lab/small', usable: true },
    { name: 'lab/large', usable: true },
  ])
  await vendor.close()
  const [gone] = (await runtime.models(project)).filter(({ provider }) => provider === 'lab')
  expect(gone).toMatchObject({ usable: false, reason: expect.stringContaining('providers.lab.models') })
})
