import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { newId } from '../../../lib/ids.ts'

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'
/** A call longer than this is not one. */
const LONGEST_CALL = 1024 * 1024

type StreamPart = LanguageModelV4StreamPart

/** Takes the calls out of a text as it streams; what is left of the text never shows a tag. */
export function createTextCalls(): (chunk: StreamPart) => readonly StreamPart[] {
  /** Text that may be the beginning of a tag, or blanks before one. */
  let held = ''
  /** Inside a call: its text so far. */
  let call: string | undefined
  let afterCall = false
  let id = ''
  let out: StreamPart[] = []

  const speak = (delta: string): void => {
    if (delta === '') return
    afterCall = false
    out.push({ type: 'text-delta', id, delta })
  }
  const read = (text: string, last: boolean): void => {
    let rest = text
    while (rest !== '') rest = call === undefined ? outside(rest, last) : inside(rest, call, last)
  }
  const outside = (text: string, last: boolean): string => {
    const trimmed = afterCall ? text.trimStart() : text
    const at = trimmed.indexOf(OPEN)
    if (at !== -1) {
      speak(trimmed.slice(0, at).trimEnd())
      call = ''
      return trimmed.slice(at + OPEN.length)
    }
    const from = last ? trimmed.trimEnd().length : startOfTag(trimmed)
    speak(trimmed.slice(0, from))
    held = last ? '' : trimmed.slice(from)
    return ''
  }
  const inside = (text: string, before: string, last: boolean): string => {
    const whole = before + text
    const from = Math.max(0, before.length - CLOSE.length)
    for (let at = whole.indexOf(CLOSE, from); at !== -1; at = whole.indexOf(CLOSE, at + 1)) {
      // The tag may be part of a string, such as the text of a file.
      if (endsInsideString(whole.slice(0, at)) && whole.indexOf(CLOSE, at + 1) !== -1) continue
      if (endsInsideString(whole.slice(0, at)) && !last) break
      finish(whole.slice(0, at))
      return whole.slice(at + CLOSE.length)
    }
    if (last || whole.length > LONGEST_CALL) finish(whole)
    else call = whole
    return ''
  }
  const finish = (text: string): void => {
    out.push(callOf(text))
    call = undefined
    afterCall = true
  }

  return (chunk) => {
    out = []
    if (chunk.type === 'text-delta') {
      id = chunk.id
      const text = held + chunk.delta
      held = ''
      read(text, false)
      return out
    }
    if (chunk.type === 'text-end' || chunk.type === 'finish') {
      // The limit came in the middle of a call: it was not made.
      const cut = chunk.type === 'finish' && chunk.finishReason.unified === 'length'
      if (call !== undefined && !cut) inside('', call, true)
      call = undefined
      read(held, true)
      held = ''
    }
    out.push(chunk)
    return out
  }
}

/** Where the last thing begins that could still become a tag, with the blanks before it. */
function startOfTag(text: string): number {
  for (let length = Math.min(OPEN.length - 1, text.length); length > 0; length--) {
    if (OPEN.startsWith(text.slice(-length))) return text.slice(0, -length).trimEnd().length
  }
  return text.trimEnd().length
}

function endsInsideString(json: string): boolean {
  let inside = false
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '\\' && inside) at += 1
    else if (json[at] === '"') inside = !inside
  }
  return inside
}

/** A call that cannot be read keeps its text as input: the check of the input tells the model what is wrong. */
function callOf(text: string): StreamPart {
  const toolCallId = newId('call')
  try {
    const { name, arguments: input = {} } = JSON.parse(text.trim()) as { name?: unknown; arguments?: unknown }
    if (typeof name === 'string' && name !== '') {
      const json = typeof input === 'string' ? input : JSON.stringify(input)
      return { type: 'tool-call', toolCallId, toolName: name, input: json }
    }
  } catch {
    // The call made below says that this is not JSON.
  }
  const toolName = /"name"\s*:\s*"([^"\\]{1,64})"/.exec(text)?.[1] ?? 'unreadable_call'
  return { type: 'tool-call', toolCallId, toolName, input: `This is not {"name", "arguments"} in JSON: ${text.trim()}` }
}
