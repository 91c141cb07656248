import type {
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import type { Message, ToolResultPart } from '../../../contract/messages.ts'
import { isBlank, type Target } from './convert.ts'
import { fileNote, isShownInResult, wholeFile } from './files.ts'
import { resultsMessage } from './text-prompt.ts'
import type { WireCall } from './wire-call.ts'

/** The message behind a message with calls: one result for each of them. */
export function messageOfResults(
  calls: readonly WireCall[],
  found: readonly (ToolResultPart | undefined)[],
  target: Target,
): LanguageModelV4Message {
  const parts = calls.map((call, at) => resultPart(call, found[at], target))
  if (!target.textCalls) return { role: 'tool', content: parts }
  return resultsMessage(
    calls,
    parts.map(({ output }) => inWords(output)),
    found,
  )
}

const inWords = (output: LanguageModelV4ToolResultOutput): string => {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  return 'value' in output ? JSON.stringify(output.value) : NO_OUTPUT
}

/** What goes back for a call. The model is told of a call without a result, which is never run again in silence. */
function resultPart(call: WireCall, result: ToolResultPart | undefined, target: Target): LanguageModelV4ToolResultPart {
  const output: LanguageModelV4ToolResultOutput = result
    ? vendorOutput(result, target)
    : failed('interrupted; outcome unknown; not repeated', target)
  return { type: 'tool-result', toolCallId: call.id, toolName: call.name, output }
}

export interface Results {
  /** The results of the calls of the message at this place, in their order. */
  of(calls: readonly WireCall[], index: number): Found
  /** Whether these messages still stand right behind that place. */
  stillBehind(index: number, holders: readonly Message[]): boolean
}

interface Found {
  readonly found: readonly (ToolResultPart | undefined)[]
  /** The messages right behind the calls that hold every result; undefined when one stands elsewhere or is missing. */
  readonly holders: readonly Message[] | undefined
}

/** Finds results by call: right behind it, where they nearly always are, or else anywhere in the log. */
export function createResults(history: readonly Message[]): Results {
  let all: Map<string, ToolResultPart> | undefined
  return {
    of(calls, index) {
      const near = new Map<string, ToolResultPart>()
      let end = index + 1
      while (near.size < calls.length && history[end]?.role === 'tool') collect(history[end++] as Message, near)
      const found = calls.map((call) => near.get(call.part.callId))
      if (!found.includes(undefined)) return { found, holders: history.slice(index + 1, end) }
      if (all === undefined) {
        all = new Map()
        for (const message of history) collect(message, all)
      }
      return { found: calls.map((call, at) => found[at] ?? all?.get(call.part.callId)), holders: undefined }
    },
    stillBehind(index, holders) {
      for (let at = 0; at < holders.length; at++) if (history[index + 1 + at] !== holders[at]) return false
      return true
    },
  }
}

/** The first result of a call is the one that counts: a stored result is never replaced. */
function collect(message: Message, into: Map<string, ToolResultPart>): void {
  if (message.deletedAt !== undefined) return
  for (const part of message.parts) {
    if (part.type === 'tool-result' && !into.has(part.callId)) into.set(part.callId, part)
  }
}

function vendorOutput(result: ToolResultPart, target: Target): LanguageModelV4ToolResultOutput {
  const text = plainText(result.output)
  if (result.error) return failed(text || 'failed without a message', target)
  const files = result.files ?? []
  if (files.length === 0) {
    const plain = typeof result.output === 'string' || result.output === undefined || result.output === null
    return plain ? { type: 'text', value: text || NO_OUTPUT } : { type: 'json', value: result.output as JSONValue }
  }
  const shown = files.filter((file) => !target.textCalls && isShownInResult(file, target.type))
  const notes = files.filter((file) => !shown.includes(file)).map(fileNote)
  const words = [text, ...notes].filter((line) => line !== '').join('\n')
  if (shown.length === 0) return { type: 'text', value: words || NO_OUTPUT }
  // Some models take files only beside text, so there has to be some.
  const lead = { type: 'text' as const, text: words || FILES_ONLY }
  return { type: 'content', value: [lead, ...shown.map(wholeFile)] }
}

const NO_OUTPUT = '(no output)'
const FILES_ONLY = '(the files below)'

/** Chat completions have no flag for a failed call, so there the text has to say it. */
function failed(text: string, target: Target): LanguageModelV4ToolResultOutput {
  const says = target.type === 'anthropic' || target.type === 'google' || /^error/i.test(text)
  return { type: 'error-text', value: says ? text : `Error: ${text}` }
}

function plainText(output: unknown): string {
  if (output === undefined || output === null) return ''
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return isBlank(text) ? '' : text
}
