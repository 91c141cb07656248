import { type From, type Message, textOf } from '../../contract/messages.ts'
import { cut, PROSE, tame, wrapWords } from './cells.ts'
import { blocks, blocksOf } from './markdown.ts'
import { accent, bold, dim, style } from './style.ts'

/** A message that reached the session: the person's words as typed, those of others under their name. */
export function saidLines(message: Message, width: number): string[] {
  const text = textOf(message.parts)
  const from = message.from ?? { kind: 'human' }
  if (from.kind === 'human') return personLines(text, width)
  return [head(from), ...blocks(blocksOf(tame(text)), width - 2).map((line) => `  ${line}`)]
}

/** "‹ researcher 6fe8", or "? researcher 6fe8 asks, and waits". */
function head(from: From): string {
  const who = bold(cut([from.agent ?? from.kind, from.handle].filter(Boolean).join(' '), 60))
  return from.asks ? `${style('yellow', '?')} ${who}${dim(' asks, and waits')}` : `${style('magenta', '‹')} ${who}`
}

function personLines(text: string, width: number): string[] {
  const lines = tame(text)
    .split('\n')
    .flatMap((line) => wrapWords(line, Math.min(width, PROSE) - 2))
  return lines.map((line, row) => `${row === 0 ? accent('›') : ' '} ${line}`)
}
