import { Lexer, type Token } from 'marked'

/** More than this of one text is not drawn; the whole is in its export. */
const SHOWN = 200_000
/** So much is read as Markdown; what comes behind it stands as it was typed. */
const READ = 50_000
/** A line without an end would freeze the page. */
const LINE = 20_000
/** Deeper than people write: what is nested further stands as it was typed. */
const DEEPEST = 16
/** The work of finding emphasis and links grows with the square of these; a text beyond them stands as it was typed. */
const INLINE = 6000
const MARKS = 500

/** The tokens of a text that somebody else wrote, whatever it is: bounded in depth, in number and in the work to find them. */
export function markdownTokens(text: string): readonly Token[] {
  const shown = linesOf(cut(text, SHOWN))
  if (PILED.test(shown)) return [{ type: 'rest', raw: shown }]
  if (shown.length <= READ) return boundedLexer().lex(shown)
  const end = shown.lastIndexOf('\n\n', READ)
  const at = end > READ / 2 ? end : READ
  return [...boundedLexer().lex(shown.slice(0, at)), { type: 'rest', raw: shown.slice(at) }]
}

/** A line that begins with so many marks of quotes and lists is a trick, on which the lexer's own patterns would choke. */
const PILED = /^(?:[ \t]{0,8}(?:[>*+-]|\d{1,9}[.)])){40}/m

const linesOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => cut(line, LINE))
    .join('\n')

const cut = (text: string, at: number): string =>
  text.length > at ? `${text.slice(0, at)} … (${(text.length - at).toLocaleString('en')} more characters)` : text

function boundedLexer(): Lexer {
  const lexer = new Lexer({ gfm: true })
  const readBlocks = lexer.blockTokens.bind(lexer)
  const readInline = lexer.inlineTokens.bind(lexer)
  let depth = 0

  function within(src: string, tokens: Token[], read: () => Token[]): Token[] {
    if (depth >= DEEPEST) return asTyped(src, tokens)
    depth += 1
    const found = read()
    depth -= 1
    return found
  }

  // Whatever is inside something else is read by these two.
  lexer.blockTokens = ((src, tokens = [], last) =>
    within(src, tokens, () => readBlocks(src, tokens, last))) as typeof lexer.blockTokens
  lexer.inlineTokens = (src, tokens = []) =>
    src.length > INLINE || (src.match(/[*_~[\]<`]/g)?.length ?? 0) > MARKS
      ? asTyped(src, tokens)
      : within(src, tokens, () => readInline(src, tokens))
  return lexer
}

function asTyped(src: string, tokens: Token[]): Token[] {
  if (src !== '') tokens.push({ type: 'text', raw: src, text: src, escaped: false })
  return tokens
}
