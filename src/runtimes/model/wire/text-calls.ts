import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { newId } from '../../../lib/ids.ts'

/** How a call begins and ends: with our tags, or as the block of code that many models write instead. */
interface Marks {
  readonly open: string
  readonly close: string
  /** The block may be an example: without a call of a tool in it, it is text. */
  readonly maybe?: true
}
const marks: readonly Marks[] = [
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '```json', close: '```', maybe: true },
  { open: '```tool_call', close: '```', maybe: true },
]
/** A call longer than this is not one. */
const LONGEST_CALL = 1024 * 1024
/** How much the model is shown of a call that cannot be read. */
const SHOWN_CHARS = 1000

type StreamPart = LanguageModelV4StreamPart

/** Takes the calls out of a text as it streams; what is left of the text never shows a tag. */
export function createTextCalls(
  tools: readonly { readonly name: string }[],
): (chunk: StreamPart) => readonly StreamPart[] {
  /** Text that may be the beginning of a tag, or blanks before one. */
  let held = ''
  /** Inside a call: its text so far. */
  let call: string | undefined
  let mark = marks[0] as Marks
  /** Between the text and the mark behind it. */
  let blanks = ''
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
    const found = firstMark(trimmed)
    if (found) {
      const said = trimmed.slice(0, found.at).trimEnd()
      speak(said)
      blanks = trimmed.slice(said.length, found.at)
      mark = found.mark
      call = ''
      return trimmed.slice(found.at + mark.open.length)
    }
    const from = last ? trimmed.trimEnd().length : startOfTag(trimmed)
    speak(trimmed.slice(0, from))
    held = last ? '' : trimmed.slice(from)
    return ''
  }
  const inside = (text: string, begun: string, last: boolean): string => {
    const { close } = mark
    const whole = begun + text
    const from = Math.max(0, begun.length - close.length)
    for (let at = whole.indexOf(close, from); at !== -1; at = whole.indexOf(close, at + 1)) {
      // The mark may be part of a string, such as the text of a file.
      if (endsInsideString(whole.slice(0, at)) && whole.indexOf(close, at + 1) !== -1) continue
      if (endsInsideString(whole.slice(0, at)) && !last) break
      finish(whole.slice(0, at), close)
      return whole.slice(at + close.length)
    }
    if (last || whole.length > LONGEST_CALL || (mark.maybe && /^\s*[^\s{]/.test(whole))) finish(whole, '')
    else call = whole
    return ''
  }
  const finish = (text: string, close: string): void => {
    call = undefined
    if (mark.maybe && !isCallOf(text, tools)) {
      speak(`${blanks}${mark.open}${text}${close}`)
    } else {
      out.push(callOf(text))
      afterCall = true
    }
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
      if (call !== undefined) inside('', call, true)
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
  for (let length = Math.min(LONGEST_OPEN - 1, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (marks.some(({ open }) => open.startsWith(end))) return text.slice(0, -length).trimEnd().length
  }
  return text.trimEnd().length
}

const LONGEST_OPEN = Math.max(...marks.map(({ open }) => open.length))

function firstMark(text: string): { readonly mark: Marks; readonly at: number } | undefined {
  const found = marks.map((mark) => ({ mark, at: text.indexOf(mark.open) })).filter(({ at }) => at !== -1)
  return found.sort((a, b) => a.at - b.at)[0]
}

function isCallOf(text: string, tools: readonly { readonly name: string }[]): boolean {
  try {
    const { name, arguments: input } = JSON.parse(text) as { name?: unknown; arguments?: unknown }
    return input !== undefined && tools.some((tool) => tool.name === name)
  } catch {
    return false
  }
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
  const shown = text.trim().slice(0, SHOWN_CHARS)
  const toolName = /"name"\s*:\s*"([^"\\]{1,64})"/.exec(text)?.[1] ?? 'unreadable_call'
  return { type: 'tool-call', toolCallId, toolName, input: `This is not {"name", "arguments"} in JSON: ${shown}` }
}
