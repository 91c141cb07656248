import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { StepRequest, ToolSchema } from '../../../core/base/index.ts'
import { vendorOptions } from '../vendors/language.ts'
import type { Picked } from '../vendors/providers.ts'
import type { PromptBuilder } from './prompt.ts'
import { toolText } from './text-prompt.ts'

/** The request in the words of the provider packages. */
export function callOptions(
  request: StepRequest,
  { provider, modelId }: Picked,
  build: PromptBuilder,
  outputLimit: number,
): LanguageModelV4CallOptions {
  const inText = provider.textCalls(modelId)
  const system = inText ? [request.system, toolText(request.tools)].filter(Boolean).join('\n\n') : request.system
  const { prompt, hasCalls } = build(system, request.history)
  const tools = inText ? [] : toolsOf(request.tools, hasCalls)
  const most = Math.min(request.maxOutputTokens ?? outputLimit, request.paidOutputTokens ?? Number.POSITIVE_INFINITY)
  const { reasoning, thinking } = thoughtsWithin(request, provider, most)
  return {
    prompt,
    // Every request carries a limit: a vendor's own default may be anything.
    maxOutputTokens: most - (thinking ?? 0),
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning as Reasoning }),
    ...vendorOptions(provider, request.sessionId, reasoning, thinking),
  }
}

/** The package for this vendor adds the room for thoughts on top of the limit; where money is short both must fit into it. */
function thoughtsWithin(
  { reasoning, paidOutputTokens }: StepRequest,
  { type }: Picked['provider'],
  most: number,
): { readonly reasoning?: string | undefined; readonly thinking?: number } {
  const added = type === 'anthropic' && reasoning !== undefined && reasoning !== 'none'
  if (!added || paidOutputTokens === undefined) return { reasoning }
  const thinking = Math.floor(most / 2)
  return thinking < LEAST_THOUGHTS ? {} : { reasoning, thinking }
}

/** The vendor refuses less. */
const LEAST_THOUGHTS = 1024

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
