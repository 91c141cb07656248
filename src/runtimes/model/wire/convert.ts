import type { LanguageModelV4Message, LanguageModelV4ToolCallPart, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, Part, ToolCallPart } from '../../../contract/messages.ts'
import type { ProviderType } from '../../../contract/settings.ts'
import { defuse } from '../../../core/base/index.ts'
import { vendorOf } from '../vendors/facts.ts'
import { fileNote, filePart } from './files.ts'
import { marker } from './provenance.ts'
import { isSealedFor } from './seal.ts'
import { callText } from './text-prompt.ts'
import type { WireCall } from './wire-call.ts'

/** Where the history is going. */
export interface Target {
  /** Whose signatures and marks it can read; see `vendorOf`. */
  readonly vendor: string
  readonly type: ProviderType
  readonly account: string
  /** The model knows no calls but those written in its text. */
  readonly textCalls: boolean
}

export interface Converted {
  /** Nothing to send: deleted, or no part of it means anything to this vendor. */
  readonly message: LanguageModelV4Message | undefined
  readonly calls: readonly WireCall[]
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>

const NOTHING: Converted = { message: undefined, calls: [] }
/** An id of this shape is taken by every vendor. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,40}$/

/** One message of the log for one vendor: a function of these two alone, so its value may be kept. */
export function convert(message: Message, target: Target): Converted {
  if (message.deletedAt !== undefined) return NOTHING
  return message.role === 'assistant' ? outgoing(message, target) : incoming(message, target)
}

/** The same message with its calls under other ids. */
export function withIds(converted: Converted, calls: readonly WireCall[]): LanguageModelV4Message {
  const message = converted.message as AssistantMessage
  let at = 0
  const content = message.content.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: (calls[at++] as WireCall).id } : part,
  )
  return { ...message, content }
}

export const isBlank = (text: string): boolean => !/\S/.test(text)

function incoming(message: Message, target: Target): Converted {
  const content: UserMessage['content'] = []
  for (const part of message.parts) {
    if (part.type !== 'text' && part.type !== 'file') continue
    const sent = part.type === 'file' ? filePart(part, target.type) : part
    if (sent.type === 'file') content.push(sent)
    else if (!isBlank(sent.text)) content.push({ type: 'text', text: defuse(sent.text) })
  }
  const [first] = content
  if (first === undefined) return NOTHING
  if (first.type === 'text') first.text = `${marker(message)}\n${first.text}`
  else content.unshift({ type: 'text', text: marker(message) })
  return { message: { role: 'user', content }, calls: [] }
}

function outgoing(message: Message, target: Target): Converted {
  // Signatures and marks mean something only to the vendor that wrote them.
  const own = message.model !== undefined && vendorOf(message.model, target.type) === target.vendor
  const calls: WireCall[] = []
  const content: AssistantMessage['content'] = []
  for (const part of message.parts) {
    const options = own ? optionsOf(part) : {}
    if (part.type === 'text' && !isBlank(part.text)) content.push({ type: 'text', text: part.text, ...options })
    if (part.type === 'reasoning' && own && isReadable(part, target)) {
      content.push({ type: 'reasoning', text: part.text, ...options })
    }
    if (part.type === 'file') content.push({ type: 'text', text: fileNote(part) })
    if (part.type === 'tool-call') {
      const call = { id: idOf(part, own), name: nameOf(part.name), part }
      calls.push(call)
      content.push(target.textCalls ? { type: 'text', text: callText(call) } : { ...callPart(call), ...options })
    }
  }
  // A message may not end in reasoning: what it led to was cut off.
  while (content.at(-1)?.type === 'reasoning') content.pop()
  return content.length === 0 ? NOTHING : { message: { role: 'assistant', content }, calls }
}

const isReadable = (part: Extract<Part, { type: 'reasoning' }>, target: Target): boolean =>
  (part.text !== '' || part.providerMetadata !== undefined) && !target.textCalls && isSealedFor(part, target)

const callPart = ({ id, name, part }: WireCall): LanguageModelV4ToolCallPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: isRecord(part.input) ? part.input : { rawInvalidInput: part.input ?? null },
})

const idOf = (part: ToolCallPart, own: boolean): string =>
  PLAIN_ID.test(part.vendorCallId) || (own && part.vendorCallId !== '') ? part.vendorCallId : part.callId

/** Models make up names with characters that no vendor takes back. */
const nameOf = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool'

const optionsOf = (part: Part): { providerOptions?: SharedV4ProviderOptions } =>
  'providerMetadata' in part && part.providerMetadata
    ? { providerOptions: part.providerMetadata as SharedV4ProviderOptions }
    : {}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
