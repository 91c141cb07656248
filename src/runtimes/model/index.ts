import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { AppError } from '../../contract/errors.ts'
import type { ModelError, Project, Runtime, StepRequest, StepResult, ToolSchema } from '../../core/core.ts'
import type { Clock } from '../../lib/clock.ts'
import { demoStep } from './demo.ts'
import { anthropicOptions, type Fetch, languageModel } from './language.ts'
import { listModels } from './models.ts'
import { createPromptBuilder, type PromptBuilder } from './prompt.ts'
import {
  defaultModelName,
  type Env,
  findProviders,
  type Picked,
  type Provider,
  type ProviderView,
  pickModel,
} from './providers.ts'
import { streamStep } from './step.ts'

export { defaultModelName, type ProviderView } from './providers.ts'

export interface ModelRuntimeOptions {
  readonly env: Env
  settings(project: Project): Promise<ProviderView> | ProviderView
  readonly clock: Clock
  readonly fetch?: Fetch
  /** A stream silent for longer is cut. */
  readonly idleMs?: number
  /** The pause between two pieces of the demo's text; 0 turns it off. */
  readonly demoDelayMs?: number
}

const IDLE_MS = 120_000
const DEMO_DELAY_MS = 15
/** Every request carries a limit: a vendor's own default may be anything. */
const MAX_OUTPUT_TOKENS = 8192
const MODELS_KEPT = 100

/** Answers a step with whichever provider the model's name points at. */
export function createModelRuntime(options: ModelRuntimeOptions): Runtime {
  const { env, clock } = options
  const models = new Map<string, LanguageModelV4>()
  const builders = new Map<string, PromptBuilder>()

  /** Kept by what it is made of: making one costs more than a short request, and settings may change at any time. */
  async function modelOf(picked: Picked): Promise<LanguageModelV4> {
    const { name, type, baseURL, apiKey, headers } = picked.provider
    const key = JSON.stringify([picked.modelId, name, type, baseURL, apiKey, headers])
    const kept = models.get(key)
    if (kept) return kept
    const model = await languageModel(picked, options.fetch)
    if (models.size >= MODELS_KEPT) models.clear()
    models.set(key, model)
    return model
  }

  function promptOf({ name, type }: Provider): PromptBuilder {
    const key = `${type} ${name}`
    const builder = builders.get(key) ?? createPromptBuilder({ provider: name, type })
    builders.set(key, builder)
    return builder
  }

  return {
    async step(request) {
      try {
        const providers = findProviders(await options.settings(request.project), env)
        const picked = pickModel(providers, request.model)
        if ('kind' in picked) return refused(picked)
        const { provider, modelId } = picked
        if (provider.type === 'demo') return await demoStep(request, options.demoDelayMs ?? DEMO_DELAY_MS)
        const { prompt, hasCalls } = promptOf(provider)(request.system, request.history)
        const call = { ...callOptions(request, provider, hasCalls), prompt }
        return await streamStep(await modelOf(picked), call, request, {
          idleMs: options.idleMs ?? IDLE_MS,
          context: { provider: provider.name, model: modelId, baseURL: provider.baseURL, secrets: provider.secrets },
          now: () => clock.now(),
        })
      } catch (error) {
        if (error instanceof AppError) return refused({ kind: 'bad-request', message: error.message })
        throw error
      }
    },
    async models(project) {
      const view = await options.settings(project)
      return listModels(view, findProviders(view, env), env, options.fetch ?? fetch)
    },
    defaultModel: async (project) => defaultModelName(await options.settings(project), env),
  }
}

function callOptions(
  request: StepRequest,
  { type }: Provider,
  hasCalls: boolean,
): Omit<LanguageModelV4CallOptions, 'prompt'> {
  const tools = toolsOf(request.tools, hasCalls)
  return {
    maxOutputTokens: request.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoning === undefined ? {} : { reasoning: request.reasoning as Reasoning }),
    ...(type === 'anthropic' ? { providerOptions: anthropicOptions } : {}),
  }
}

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>

const converted = new WeakMap<readonly ToolSchema[], LanguageModelV4FunctionTool[]>()

function toolsOf(schemas: readonly ToolSchema[], hasCalls: boolean): LanguageModelV4FunctionTool[] {
  if (schemas.length === 0) return hasCalls ? [noTool] : []
  const tools = converted.get(schemas) ?? schemas.map((schema) => ({ type: 'function' as const, ...schema }))
  converted.set(schemas, tools)
  return tools
}

/** Vendors refuse a history with calls in it when the request defines no tool at all. */
const noTool: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'no_tools',
  description: 'No tools are available now. Answer in text.',
  inputSchema: { type: 'object', properties: {} },
}

const refused = (error: ModelError): StepResult => ({
  parts: [],
  tokens: { input: 0, output: 0, cached: 0, reasoning: 0 },
  finish: 'error',
  error,
})
