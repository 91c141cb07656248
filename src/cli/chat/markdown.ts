import { Lexer, type Token, type Tokens } from 'marked'
import { readMarkdown } from '../../client/markdown.ts'
import { PROSE, wrapCode, wrapWords } from './cells.ts'
import { grid } from './grid.ts'
import { inline } from './inline.ts'
import { bold, dim, style } from './style.ts'

/** Longer texts are shown as they are, because parsing them again and again while they stream would cost too much. */
const LONGEST = 256 * 1024

/** The blocks of a text, in order; their raw texts together are the text. */
export function blocksOf(text: string): Token[] {
  return (text.length > LONGEST ? undefined : readMarkdown<Token>(new Lexer(), text)) ?? [verbatim(text)]
}

const verbatim = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: false })

/** One block as lines. `width` is what the terminal has. */
export function block(token: Token, width: number): string[] {
  const prose = Math.min(width, PROSE)
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return wrapWords(heading(token as Tokens.Heading), prose)
    case 'code':
      return fence(token as Tokens.Code, width)
    case 'list':
      return list(token as Tokens.List, width)
    case 'blockquote':
      return quote(token as Tokens.Blockquote, width)
    case 'table':
      return grid(token as Tokens.Table, width)
    case 'hr':
      return [dim('─'.repeat(Math.min(width, 40)))]
    case 'html':
      return wrapWords(token.raw.trimEnd(), prose)
    default:
      return wrapWords('tokens' in token && token.tokens ? inline(token.tokens) : token.raw.trimEnd(), prose)
  }
}

/** Blocks one after the other, with a free line where the author left one. */
export const blocks = (tokens: readonly Token[], width: number): string[] =>
  tokens.flatMap((token, at) => {
    const lines = block(token, width)
    const apart = at > 0 && lines.length > 0 && standsApart(tokens[at - 1]!)
    return apart ? ['', ...lines] : lines
  })

/** Whether a free line follows this block. Some blocks include the empty line after them. */
export const standsApart = (before: Token): boolean =>
  before.type === 'space' || before.type === 'heading' || /\n\s*\n$/.test(before.raw)

const heading = ({ depth, tokens }: Tokens.Heading): string =>
  depth === 1 ? style(['bold', 'underline'], inline(tokens)) : bold(inline(tokens))

/** The box has no right side, so copied lines carry a border at the left only. */
function fence({ lang, text }: Tokens.Code, width: number): string[] {
  const name = (lang ?? '').split(/\s/)[0] ?? ''
  const lines = text.split('\n').flatMap((line) => wrapCode(line, width - 2))
  return [dim(`╭─${name ? ` ${name}` : ''}`), ...lines.map((line) => `${dim('│')} ${line}`), dim('╰─')]
}

const quote = ({ tokens }: Tokens.Blockquote, width: number): string[] =>
  blocks(tokens, Math.max(10, width - 2)).map((line) => `${dim('▏')} ${style('italic', line)}`)

function list({ ordered, start, items, loose }: Tokens.List, width: number): string[] {
  const first = typeof start === 'number' ? start : 1
  const size = ordered ? String(first + items.length - 1).length + 2 : 2
  return items.flatMap((item, at) => {
    const mark = ordered ? `${first + at}. `.padStart(size) : '• '
    const lines = itemLines(item, Math.max(10, Math.min(width, PROSE) - size))
    const body = lines.map((line, row) => (row === 0 ? dim(mark) : ' '.repeat(size)) + line)
    return loose && at > 0 && lines.length > 1 ? ['', ...body] : body
  })
}

function itemLines({ tokens }: Tokens.ListItem, width: number): string[] {
  // A checkbox is a token of its own before the text it belongs to.
  const box = tokens[0]?.type === 'checkbox' ? inline([tokens[0]]) : ''
  const lines = blocks(box ? tokens.slice(1) : tokens, width - box.length)
  if (!box) return lines.length > 0 ? lines : ['']
  return lines.map((line, row) => (row === 0 ? box : ' '.repeat(box.length)) + line)
}
