import { Lexer, type Token } from 'marked'

/** Deeper than people write: what is nested further stands as it was typed. */
const DEEPEST = 16
/** The work of finding emphasis and links grows with the square of these; a text beyond them stands as it was typed. */
const INLINE = 6000
const MARKS = 500
/** A line that begins with so many marks of quotes and lists is a trick, on which the lexer's own patterns would choke. */
const PILED = /^(?:[ \t]{0,8}(?:[>*+-]|\d{1,9}[.)])){40}/m

/**
 * The tokens of a text that somebody else wrote, whatever it is: bounded in depth and in the work to find them. Undefined
 * where it is best shown as it was typed.
 */
export function readMarkdown(text: string): Token[] | undefined {
  if (PILED.test(text)) return undefined
  try {
    return boundedLexer().lex(text)
  } catch {
    // The parser has a bug: the text is shown plain instead of lost.
    return undefined
  }
}

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
