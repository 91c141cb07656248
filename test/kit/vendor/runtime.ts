import type { Message } from '../../../src/contract/messages.ts'
import type { ProviderSettings } from '../../../src/contract/settings.ts'
import type { Candidate } from '../../../src/core/base/models.ts'
import type { Runtime, StepRequest, StepResult } from '../../../src/core/base/runtime.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createModelRuntime, type ModelRuntime, type ModelRuntimeOptions } from '../../../src/runtimes/model/index.ts'
import type { Vendor } from './server.ts'

/** The providers that one stand-in serves, by the protocol they speak. */
export const protocols = ['openai-compatible', 'anthropic', 'openai', 'google', 'openrouter'] as const
export type ProtocolName = (typeof protocols)[number]

const names: Record<ProtocolName, string> = {
  'openai-compatible': 'lab',
  anthropic: 'claude-lab',
  openai: 'gpt-lab',
  google: 'gemini-lab',
  openrouter: 'broker',
}

const KEY = 'sk-test-0123456789abcdef'

/** The name of a model in these tests: the provider that stands for the protocol, and the model. */
export const modelOf = (protocol: ProtocolName, model = 'test-model'): string => `${names[protocol]}/${model}`

/** The settings of a provider that points at the stand-in. */
export function providerAt(
  vendor: Pick<Vendor, 'baseURL'>,
  protocol: ProtocolName,
  more: Partial<ProviderSettings> = {},
): ProviderSettings {
  const paths: Partial<Record<ProtocolName, string>> = { google: '/v1beta', openrouter: '/openrouter/v1' }
  const baseURL = vendor.baseURL.replace(/\/v1$/, paths[protocol] ?? '/v1')
  return { type: protocol, baseURL, apiKey: '$LAB_KEY', ...more }
}

/** The real model runtime, pointed at the stand-in. */
export const runtimeFor = (vendor: Pick<Vendor, 'baseURL'>, options: Partial<ModelRuntimeOptions> = {}): ModelRuntime =>
  createModelRuntime({
    env: { LAB_KEY: KEY },
    clock: systemClock,
    demoDelayMs: 0,
    settings: () => ({
      providers: Object.fromEntries(protocols.map((protocol) => [names[protocol], providerAt(vendor, protocol)])),
    }),
    ...options,
  })

interface Stepped extends StepResult {
  readonly deltas: { kind: string; text: string }[]
}

type Step = Partial<Omit<StepRequest, 'candidate'>>

/** One step of a model, through its first account unless another is named. */
export async function takeStep(
  runtime: ModelRuntime,
  { model, account, ...request }: Step & { readonly model: string; readonly account?: string },
): Promise<Stepped> {
  const { usable, left } = await runtime.models.candidates({ id: 'p', path: '/' }, [model])
  const candidate = usable.find((one) => account === undefined || one.account === account)
  if (candidate === undefined) throw new Error(left[0]?.reason ?? `${model} has no usable account ${account}.`)
  return stepWith(runtime, candidate, request)
}

/** One step with what does not matter filled in; the deltas come back beside the result. */
export async function stepWith(runtime: Runtime, candidate: Candidate, request: Step = {}): Promise<Stepped> {
  const deltas: { kind: string; text: string }[] = []
  const result = await runtime.step({
    sessionId: '0'.repeat(32),
    candidate,
    system: 'You are a test.',
    history: [user('hello')],
    tools: [],
    signal: new AbortController().signal,
    onDelta: (kind, text) => deltas.push({ kind, text }),
    ...request,
  })
  return { ...result, deltas }
}

let seq = 0

export const message = (fields: Partial<Message> & Pick<Message, 'role'>): Message => {
  seq += 1
  return { id: `msg_${seq}`, seq, parts: [], createdAt: '2026-01-01T00:00:00.000Z', ...fields }
}

export const user = (text: string, fields: Partial<Message> = {}): Message =>
  message({ role: 'user', parts: [{ type: 'text', text }], from: { kind: 'human' }, ...fields })

export const tool = (name: string, properties: Record<string, unknown> = {}): StepRequest['tools'][number] => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties },
})
