import type { InboxItem } from '../../contract/inbox.ts'
import { troupe } from '../called.ts'
import { type Choice, choicesFor } from '../inbox-answers.ts'
import { cut, PROSE, tame, wrapExact, wrapWords } from './cells.ts'
import { accent, bold, dim, style } from './style.ts'

const BODY = 12

/** The open question or approval, shown above the line where the person answers it. */
export function dock(item: InboxItem, draft: string, more: number, width: number): string[] {
  const prose = Math.min(width, PROSE) - 2
  const who = [item.from.agent ?? item.from.kind, item.from.handle].filter(Boolean).join(' ')
  const waiting = more > 0 ? dim(`  (${more} more after this)`) : ''
  const lines = [
    ...wrapWords(bold(tame(item.title)), prose),
    ...(item.body && item.body !== item.title ? bodyLines(item, prose) : []),
    ...choiceLines(choicesFor(item), draft, prose),
  ]
  return [
    `${style('yellow', '?')} ${style('yellow', item.kind)} ${dim(`from ${cut(who, 40)}`)}${waiting}`,
    ...lines.map((line) => `  ${line}`),
  ]
}

/** A call to be approved is shown exactly as it is, and a note says when lines are missing. */
function bodyLines({ kind, body }: InboxItem, width: number): string[] {
  const text = tame(body)
  const lines = kind === 'approval' ? wrapExact(text, width) : wrapWords(text, width)
  const missing = lines.length - BODY
  return missing > 0
    ? [...lines.slice(0, BODY), style('yellow', `… ${missing} more lines: read them with "${troupe} inbox show"`)]
    : lines
}

function choiceLines(choices: readonly Choice[], draft: string, width: number): string[] {
  return choices.map(({ key, label, says }) => {
    const chosen = says(draft)
    const text = cut(`${key}  ${label}`, width - 2)
    return chosen ? accent(`▸ ${text}`) : `  ${text}`
  })
}

/** Which keys may be pressed, the longest wording first. */
export const dockHints = (item: InboxItem): string[] =>
  item.kind === 'approval'
    ? ['o s a d, then Enter · d and why · Esc stops', 'o s a d, then Enter', 'o s a d']
    : item.options?.length
      ? ['a number or your own words, then Enter · Esc stops', 'a number or your words']
      : ['Enter answers · Esc stops', 'Enter answers']
