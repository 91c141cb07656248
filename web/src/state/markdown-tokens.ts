import { Lexer, type Token } from 'marked'
import { readMarkdown } from '../../../src/client/markdown.ts'

/** More than this of one text is not drawn; the whole is in its export. */
const SHOWN = 200_000
/** So much is read as Markdown; what comes behind it stands as it was typed. */
const READ = 50_000
/** A line without an end would freeze the page. */
const LINE = 20_000

/** The tokens of a text that somebody else wrote, whatever it is: bounded in number too. */
export function markdownTokens(text: string): readonly Token[] {
  const shown = linesOf(cut(text, SHOWN))
  const end = shown.length > READ ? shown.lastIndexOf('\n\n', READ) : READ
  const at = end > READ / 2 ? end : READ
  const tokens = readMarkdown<Token>(new Lexer({ gfm: true }), shown.slice(0, at))
  if (tokens === undefined) return [rest(shown)]
  return at < shown.length ? [...tokens, rest(shown.slice(at))] : tokens
}

const rest = (raw: string): Token => ({ type: 'rest', raw })

const linesOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => cut(line, LINE))
    .join('\n')

const cut = (text: string, at: number): string =>
  text.length > at ? `${text.slice(0, at)} … (${(text.length - at).toLocaleString('en')} more characters)` : text
