import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Coloured on a terminal that wants it; NO_COLOR and pipes get plain text. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout })
const paintError = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr })

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const sayJson = (value: unknown): void => say(JSON.stringify(value))

/** One result: a line of JSON for a script, words for a person. */
export function tell<T>(cli: { readonly json: boolean }, value: T, inWords: (value: T) => void): void {
  if (cli.json) sayJson(value)
  else inWords(value)
}

/** Says something beside the result: progress, or what to do next. It goes to stderr, so a script does not read it. */
export const note = (text: string): void => {
  process.stderr.write(`${paintError('dim', text)}\n`)
}

export const warn = (text: string): void => {
  process.stderr.write(`${paintError('yellow', `warning: ${text}`)}\n`)
}

export const complain = (message: string, hint?: string): void => {
  process.stderr.write(`${paintError('red', 'error:')} ${message}\n`)
  if (hint) process.stderr.write(`${paintError('dim', hint)}\n`)
}

/**
 * Text from models, tools and files, made safe for a terminal: control characters could move the cursor, change the
 * title or hide a command that is about to be approved.
 */
export const clean = (text: string): string => text.replace(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')

export const oneLine = (text: string, width = 80): string => {
  const flat = clean(text).replace(/\s+/g, ' ').trim()
  return flat.length > width ? `${flat.slice(0, width - 1)}…` : flat
}

/** The keys of the first row become the columns, each as wide as it needs to be. */
export function table(rows: readonly Record<string, string>[], empty: string): void {
  const first = rows[0]
  if (!first) {
    say(paint('dim', empty))
    return
  }
  const keys = Object.keys(first)
  const width = new Map(keys.map((key) => [key, Math.max(key.length, ...rows.map((row) => (row[key] ?? '').length))]))
  const line = (cell: (key: string) => string): string =>
    keys
      .map((key) => cell(key).padEnd(width.get(key) ?? 0))
      .join('  ')
      .trimEnd()
  say(
    paint(
      'dim',
      line((key) => key.toUpperCase()),
    ),
  )
  for (const row of rows) say(line((key) => row[key] ?? ''))
}

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

const money = (usd: number): string => (usd ? `$${usd.toFixed(usd < 1 ? 4 : 2)}` : '$0')

/** A cost that is known only in part is never shown as the whole cost. */
export function price(usd: number, unpricedTokens: number): string {
  if (unpricedTokens === 0) return money(usd)
  return usd > 0 ? `at least ${money(usd)}` : 'unknown price'
}
