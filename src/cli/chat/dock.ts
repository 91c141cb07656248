import type { InboxItem } from '../../contract/inbox.ts'
import { type Choice, choicesFor } from '../inbox-answers.ts'
import { senderOf } from '../inbox-items.ts'
import { cut, PROSE, tame, wrapExact, wrapWords } from './cells.ts'
import { accent, bold, dim, style } from './style.ts'

/** However small the screen is, so much of what is asked is in sight. */
const LEAST = 3

interface Place {
  readonly width: number
  readonly height: number
  /** What is asked is shown in full elsewhere. */
  readonly opened: boolean
}

/** The open question or approval, shown above the line where the person answers it. */
export function dock(item: InboxItem, draft: string, more: number, { width, height, opened }: Place): string[] {
  const prose = Math.min(width, PROSE) - 2
  const who = senderOf(item)
  const waiting = more > 0 ? dim(`  (${more} more after this)`) : ''
  const title = wrapWords(bold(tame(item.title)), prose)
  const choices = choiceLines(choicesFor(item), draft, prose)
  const body = opened
    ? []
    : folded(askedLines(item, width), Math.max(LEAST, height - title.length - choices.length - 1))
  return [
    `${style('yellow', '?')} ${style('yellow', item.kind)} ${dim(`from ${cut(who, 40)}`)}${waiting}`,
    ...[...title, ...body, ...choices].map((line) => `  ${line}`),
  ]
}

/** All that the item says, a call exactly as it is: green what it puts into a file, red what it takes out. */
export function askedLines({ kind, title, body }: InboxItem, width: number): string[] {
  if (!body || body === title) return []
  const lines = tame(body).split('\n')
  if (kind !== 'approval') return lines.flatMap((line) => wrapWords(line, Math.min(width, PROSE) - 2))
  // What goes on in the next row is set in, so that no part of a value looks like a line of its own.
  return lines.flatMap((line) =>
    wrapExact(line, width - 6).map((row, at) => coloured(line, at === 0 ? row : `    ${row.trimStart()}`)),
  )
}

function coloured(line: string, row: string): string {
  if (line.startsWith('+')) return style('green', row)
  if (line.startsWith('-')) return style('red', row)
  return /^(@@|Asked because)/.test(line) ? dim(row) : row
}

function folded(lines: readonly string[], height: number): string[] {
  const missing = lines.length - height
  if (missing <= 0) return [...lines]
  return [...lines.slice(0, height - 1), style('yellow', `… ${missing + 1} more lines · Ctrl-O shows all`)]
}

function choiceLines(choices: readonly Choice[], draft: string, width: number): string[] {
  return choices.flatMap(({ key, label, says }) => {
    const chosen = says(draft)
    const [first = '', ...rest] = tame(label)
      .split('\n')
      .flatMap((line) => wrapWords(line, width - 4))
    const lines = [`${key} ${first}`, ...rest.map((line) => `  ${line}`)]
    return lines.map((line, row) => (chosen ? accent(`${row === 0 ? '▸' : ' '} ${line}`) : `  ${line}`))
  })
}

/** What the line says while nothing is typed into it. */
export function dockPlaceholder(item: InboxItem): string {
  const keys = choicesFor(item).map(({ key }) => key)
  return `${keys.join(', ') || 'your answer'}, then Enter`
}

/** Which keys may be pressed, the longest wording first. */
export function dockHints(item: InboxItem): string[] {
  const keys = choicesFor(item).map(({ key }) => key)
  if (item.kind === 'approval') {
    const typed = `${keys.join(' ')}, then Enter`
    return [`${typed} · Ctrl-O shows all · Esc stops`, `${typed} · Esc stops`, typed, keys.join(' ')]
  }
  return keys.length > 0
    ? ['a number or your own words, then Enter · Esc stops', 'a number or words, then Enter']
    : ['your words, then Enter · Esc stops', 'Enter answers']
}
