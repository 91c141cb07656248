import { styleText } from 'node:util'
import { clean, cleanBut, visibleJson } from '../lib/hidden.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const ESC = '\x1b'

/** Marks the colours that are ours. No text of others can know it, so theirs are taken out with the rest. */
const OURS = `${ESC}<${crypto.randomUUID()}>`
const ourColour = new RegExp(`(${OURS}\\[\\d+m)`)

/** Coloured on a terminal that wants it; NO_COLOR and pipes get plain text. */
export const paint = (style: Style, text: string): string => painted(process.stdout, style, text)
const paintError = (style: Style, text: string): string => painted(process.stderr, style, text)

function painted(stream: NodeJS.WriteStream, style: Style, text: string): string {
  const words = cleanBut(text, ourColour, (colour) => colour)
  return styleText(style, words, { stream }).replaceAll(`${ESC}[`, `${OURS}[`)
}

/** What a terminal may get of a text: its words, and the colours that are ours. */
export const forTerminal = (text: string): string => cleanBut(text, ourColour, (colour) => colour.replace(OURS, ESC))

/** Whatever the command line prints goes out here or in `chat/frame.ts`, so no text needs cleaning before. */
export const print = (text: string, stream: NodeJS.WriteStream = process.stdout): void => {
  stream.write(forTerminal(text))
}

export const say = (text: string): void => print(`${text}\n`)

const sayBeside = (text: string): void => print(`${text}\n`, process.stderr)

/** A sentence for a person at a terminal, which would break it in the middle of a word. What follows a break is set in. */
export function inColumns(text: string, columns: number | undefined, inset = ''): string {
  if (columns === undefined || columns <= inset.length) return text
  return text
    .split('\n')
    .map((line) => brokenAt(line, columns, inset))
    .join('\n')
}

/** By characters: one that takes two columns is left to the terminal. Blanks at the beginning are the line's own. */
function brokenAt(line: string, columns: number, inset: string): string {
  const [first = '', ...words] = line.match(/^\s*\S*|\s+\S+/g) ?? []
  const lines = [first]
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length <= columns) lines[lines.length - 1] = last + word
    else lines.push(inset + word.trimStart())
  }
  return lines.join('\n')
}

export const sayJson = (value: unknown): void => say(visibleJson(JSON.stringify(value)))

/** One result: a line of JSON for a script, words for a person. */
export function tell<T>(cli: { readonly json: boolean }, value: T, inWords: (value: T) => void): void {
  if (cli.json) sayJson(value)
  else inWords(value)
}

/** Says something beside the result: progress, or what to do next. It goes to stderr, so a script does not read it. */
export const note = (text: string): void => sayBeside(paintError('dim', inColumns(text, process.stderr.columns)))

export const warn = (text: string): void => sayBeside(paintError('yellow', worded(`warning: ${text}`)))

export const complain = (message: string, hint?: string): void => {
  sayBeside(worded(`error: ${message}`).replace(/^error:/, (label) => paintError('red', label)))
  if (hint) note(hint)
}

const worded = (text: string): string => inColumns(text, process.stderr.columns, '  ')

export const complainInJson = (error: Readonly<Record<string, unknown>>): void =>
  sayBeside(visibleJson(JSON.stringify({ error })))

export const oneLine = (text: string, width = 80): string => {
  const flat = clean(text).replace(/\s+/g, ' ').trim()
  // By characters, so that none is cut in half.
  const letters = Array.from(flat)
  return letters.length > width ? `${letters.slice(0, width - 1).join('')}…` : flat
}

/** The words of a text, without our colours. */
export const uncoloured = (text: string): string => cleanBut(text, ourColour, () => '')

const MINUTE = 60_000

/** "3m ago": people tell the items of a list apart by their age. */
export function ago(time: string | undefined, now: number): string {
  if (!time) return ''
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / MINUTE))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`
}

/** Less than this would be written as nothing. */
const LEAST_USD = 0.0001

function money(usd: number): string {
  if (usd > 0 && usd < LEAST_USD) return `under $${LEAST_USD}`
  return usd ? `$${usd.toFixed(usd < 1 ? 4 : 2)}` : '$0'
}

/** A cost that is known only in part is never shown as the whole cost. */
export function price(usd: number, unpricedTokens: number): string {
  if (unpricedTokens === 0) return money(usd)
  return usd >= LEAST_USD ? `at least ${money(usd)}` : 'unknown price'
}
