import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Message } from '../../../contract/messages.ts'
import { createResults, messageOfResults, type Results } from './call-results.ts'
import { type Converted, convert, type Target, withIds } from './convert.ts'
import type { WireCall } from './wire-call.ts'

interface WirePrompt {
  readonly prompt: LanguageModelV4Prompt
  /** Some vendors refuse calls in the history of a request that has no tools. */
  readonly hasCalls: boolean
}

export type PromptBuilder = (system: string, history: readonly Message[]) => WirePrompt

const OPENING = '[message from system]\nThe beginning of this conversation is not shown.'
const CLOSING = '[message from system]\nGo on from where you stopped.'

/**
 * Turns a log into a history that no vendor refuses. Each message is converted once: a step over a long log only looks
 * them up. Results go out with their call, exactly one for each, wherever the log has them.
 */
export function createPromptBuilder(target: Target): PromptBuilder {
  // Entries are kept by place in the log: a map by message would slow down every garbage collection of a long session.
  const logs = new WeakMap<readonly Message[], Entry[]>()

  return (system, history) => {
    const prompt: LanguageModelV4Prompt = system.trim() === '' ? [] : [{ role: 'system', content: system }]
    const start = prompt.length
    const ids = new Set<string>()
    const results = createResults(history)
    const entries = logs.get(history) ?? []
    logs.set(history, entries)

    for (let index = 0; index < history.length; index++) {
      const message = history[index] as Message
      if (message.role === 'tool') continue
      let entry = entries[index]
      if (entry?.of !== message) {
        const { message: converted, calls } = convert(message, target)
        entry = { message: converted, calls, of: message, answer: undefined }
        entries[index] = entry
      }
      if (entry.message === undefined) continue
      // Vendors want the other side to speak first.
      if (prompt.length === start && entry.message.role === 'assistant') prompt.push(note(OPENING))
      if (entry.calls.length === 0) prompt.push(entry.message)
      else pushCalls(prompt, entry, index, ids, results, target)
    }
    // The person must speak last: vendors read an assistant message at the end as the beginning of the answer.
    if (prompt.length === start || prompt.at(-1)?.role === 'assistant') prompt.push(note(CLOSING))
    if (target.type === 'anthropic' || target.type === 'openrouter') markCache(prompt)
    return { prompt: target.type === 'google' ? joined(prompt) : prompt, hasCalls: ids.size > 0 && !target.textCalls }
  }
}

/** One vendor takes calls only right after the other side spoke: what the agent said in a row becomes one message. */
function joined(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const made: LanguageModelV4Prompt = []
  for (const message of prompt) {
    const last = made.at(-1)
    if (message.role !== 'assistant' || last?.role !== 'assistant') made.push(message)
    else made[made.length - 1] = { ...last, content: [...last.content, ...message.content] }
  }
  return made
}

/** Marks where the vendor's cache may end: behind the system prompt (and the tools), and behind the newest message. */
function markCache(prompt: LanguageModelV4Prompt): void {
  const first = prompt[0]
  const last = prompt.at(-1)
  if (first?.role === 'system') prompt[0] = { ...first, providerOptions: CACHED }
  // A copy: the message itself is kept for the next step, where it is no longer the last.
  if (last && last !== first) prompt[prompt.length - 1] = { ...last, providerOptions: CACHED }
}

const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' as const } } }

interface Entry extends Converted {
  readonly of: Message
  /** The results of its calls, once all stand right behind it, and the messages that hold them. */
  answer: { readonly message: LanguageModelV4Message; readonly holders: readonly Message[] } | undefined
}

function pushCalls(
  prompt: LanguageModelV4Prompt,
  entry: Entry,
  index: number,
  ids: Set<string>,
  results: Results,
  target: Target,
): void {
  const message = entry.message as LanguageModelV4Message
  const renamed = takeIds(entry.calls, ids)
  if (!renamed && entry.answer && results.stillBehind(index, entry.answer.holders)) {
    prompt.push(message, entry.answer.message)
    return
  }
  const calls = renamed ?? entry.calls
  const { found, holders } = results.of(calls, index)
  const answer = messageOfResults(calls, found, target)
  prompt.push(renamed ? withIds(entry, renamed) : message, answer)
  if (!renamed) entry.answer = holders && { message: answer, holders }
}

/** Marks the ids as used; where one is taken already, the calls come back under ids that are free. */
function takeIds(calls: readonly WireCall[], ids: Set<string>): WireCall[] | undefined {
  let renamed: WireCall[] | undefined
  for (let at = 0; at < calls.length; at++) {
    const call = calls[at] as WireCall
    let { id } = call
    if (ids.has(id)) {
      // The same log gives the same ids, so the vendor's prompt cache holds.
      id = call.part.callId
      for (let n = 2; ids.has(id); n++) id = `${call.part.callId}_${n}`
      renamed ??= [...calls]
      renamed[at] = { ...call, id }
    }
    ids.add(id)
  }
  return renamed
}

const note = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] })
