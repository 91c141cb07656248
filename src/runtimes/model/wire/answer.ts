import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { noTokens, type Part, type Tokens, type ToolCallPart } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'
import { newId } from '../../../lib/ids.ts'
import { depthOf, LEVELS } from '../../../lib/json.ts'

/** An answer as it comes in: complete parts in their order, and how it ended. */
export interface IncomingAnswer {
  readonly parts: Part[]
  readonly tokens: Tokens
  /** Of the input, what the vendor wrote into its cache. */
  readonly written: number
  /** What the vendor itself says it cost. */
  readonly costUsd: number | undefined
  /** Undefined until the vendor said that it is complete. */
  readonly finish: LanguageModelV4FinishReason | undefined
  /** Set by an error inside the stream. */
  readonly failure: { readonly error: unknown } | undefined
  take(chunk: LanguageModelV4StreamPart): void
  /** Calls whose end never came. */
  readonly unfinished: readonly string[]
  /** A call with the beginning of its input. */
  halfCall(id: string): ToolCallPart
}

interface Spoken {
  type: 'text' | 'reasoning'
  text: string
  providerMetadata?: Record<string, unknown>
}

type Metadata = Record<string, unknown> | undefined

export function createAnswer(onDelta: StepRequest['onDelta']): IncomingAnswer {
  const open = new Map<string, Spoken>()
  const parts: Part[] = []
  /** The text of each call's input as it came. */
  const inputs = new Map<string, string>()
  const names = new Map<string, string>()
  const finished = new Set<string>()
  let tokens: Tokens = noTokens
  let written = 0
  let costUsd: number | undefined
  let finish: LanguageModelV4FinishReason | undefined
  let failure: { error: unknown } | undefined
  // Nearly every delta belongs to the part of the one before it.
  let lastId: string | undefined
  let last: Spoken | undefined

  const begin = (type: Spoken['type'], id: string, metadata: Metadata): void => {
    last = { type, text: '' }
    lastId = id
    if (metadata) last.providerMetadata = metadata
    open.set(id, last)
    parts.push(last)
  }
  const grow = (type: Spoken['type'], id: string, delta: string, metadata: Metadata): void => {
    if (id !== lastId || last === undefined) {
      last = open.get(id)
      lastId = id
    }
    if (last === undefined) begin(type, id, undefined)
    const part = last as Spoken
    if (metadata) mark(part, metadata)
    if (delta === '') return
    part.text += delta
    onDelta(type, delta)
  }

  return {
    parts,
    get tokens() {
      return tokens
    },
    get written() {
      return written
    },
    get costUsd() {
      return costUsd
    },
    get finish() {
      return finish
    },
    get failure() {
      return failure
    },
    take(chunk) {
      switch (chunk.type) {
        case 'text-delta':
          return grow('text', chunk.id, chunk.delta, chunk.providerMetadata)
        case 'reasoning-delta':
          return grow('reasoning', chunk.id, chunk.delta, chunk.providerMetadata)
        case 'text-start':
          return begin('text', chunk.id, chunk.providerMetadata)
        case 'reasoning-start':
          return begin('reasoning', chunk.id, chunk.providerMetadata)
        case 'text-end':
        case 'reasoning-end': {
          const part = open.get(chunk.id)
          if (part && chunk.providerMetadata) mark(part, chunk.providerMetadata)
          return
        }
        case 'tool-input-start':
          names.set(chunk.id, chunk.toolName)
          return
        case 'tool-input-delta':
          inputs.set(chunk.id, (inputs.get(chunk.id) ?? '') + chunk.delta)
          return
        case 'tool-call':
          if (!chunk.providerExecuted) parts.push(callOf(chunk, inputs.get(chunk.toolCallId)))
          names.set(chunk.toolCallId, chunk.toolName)
          finished.add(chunk.toolCallId)
          return
        case 'file':
          if (chunk.data.type === 'data')
            parts.push({ type: 'file', mediaType: chunk.mediaType, data: base64(chunk.data.data) })
          return
        case 'custom':
          // This vendor counts the input before the first word, so a broken answer still counts what was read.
          if (chunk.kind === 'anthropic.message_start') tokens = earlyTokens(chunk.providerMetadata, tokens)
          return
        case 'finish':
          finish = chunk.finishReason
          tokens = tokensIn(chunk.usage, tokens)
          written = chunk.usage.inputTokens.cacheWrite ?? 0
          costUsd = costIn(chunk.providerMetadata)
          return
        case 'error':
          failure ??= { error: chunk.error }
      }
    },
    get unfinished() {
      return [...names.keys()].filter((id) => !finished.has(id))
    },
    halfCall: (id) => ({
      type: 'tool-call',
      callId: newId('call'),
      vendorCallId: id,
      name: names.get(id) ?? 'unreadable_call',
      input: `${(inputs.get(id) ?? '').slice(0, HALF_CHARS)}…`,
    }),
  }
}

/** How much is kept of the input of a call that never came to its end: enough for the model to know which one it was. */
const HALF_CHARS = 1000

/** Fields of one vendor come in several pieces: a signature after the mark of its block. */
function mark(part: Spoken, metadata: Record<string, unknown>): void {
  const marks: Record<string, unknown> = { ...part.providerMetadata }
  for (const [vendor, fields] of Object.entries(metadata)) {
    marks[vendor] = { ...(marks[vendor] as object | undefined), ...(fields as object) }
  }
  part.providerMetadata = marks
}

/** One package makes an empty object of an input that was cut off; a call that was not finished must not run. */
function callOf(chunk: LanguageModelV4ToolCall, streamed = ''): ToolCallPart {
  const input = chunk.input === '{}' && streamed.trim() !== '' ? streamed : chunk.input
  return {
    type: 'tool-call',
    callId: newId('call'),
    vendorCallId: chunk.toolCallId,
    name: chunk.toolName,
    input: parsedInput(input),
    ...(chunk.providerMetadata ? { providerMetadata: chunk.providerMetadata } : {}),
  }
}

/** Input that is not JSON, or nested without end, is kept as it came: the tool's schema check will tell the model. */
function parsedInput(text: string): unknown {
  if (text.trim() === '') return {}
  if (depthOf(text) > LEVELS) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function tokensIn(usage: LanguageModelV4Usage, early: Tokens): Tokens {
  const input = whole(usage.inputTokens.total ?? early.input)
  return {
    input,
    output: whole(usage.outputTokens.total ?? early.output),
    // Cached tokens are part of the input: a server that counts them apart must not make the rest negative.
    cached: Math.min(input, whole(usage.inputTokens.cacheRead ?? early.cached)),
    reasoning: whole(usage.outputTokens.reasoning ?? early.reasoning),
  }
}

/** A vendor's count is believed if it can be a number of tokens; otherwise it is 0. */
const whole = (count: number): number => (Number.isFinite(count) && count > 0 ? Math.round(count) : 0)

/** A broker knows what it charged. */
function costIn(metadata: Metadata): number | undefined {
  const { usage } = (metadata?.openrouter ?? {}) as { usage?: { cost?: unknown } }
  const cost = usage?.cost
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined
}

function earlyTokens(metadata: Metadata, before: Tokens): Tokens {
  const { usage } = (metadata?.anthropic ?? {}) as { usage?: Record<string, unknown> }
  const count = (field: string): number => (typeof usage?.[field] === 'number' ? usage[field] : 0)
  const cached = count('cache_read_input_tokens')
  const input = count('input_tokens') + count('cache_creation_input_tokens') + cached
  return { ...before, input, cached, output: count('output_tokens') }
}

const base64 = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : Buffer.from(data).toString('base64')
