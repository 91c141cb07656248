/** Deeper than people write: what is nested further stands as it was typed. */
const DEEPEST = 16
/** The work of finding emphasis and links grows with the square of these; a text beyond them stands as it was typed. */
const INLINE = 6000
const MARKS = 500
/** A line that begins with so many marks of quotes and lists is a trick, on which the lexer's own patterns would choke. */
const PILED = /^(?:[ \t]{0,8}(?:[>*+-]|\d{1,9}[.)])){40}/m

/** A lexer of Markdown. Whoever draws the text has one and hands it in. */
interface Lexer<T> {
  lex(text: string): T[]
  /** Whatever is inside something else is read by these two. */
  blockTokens(text: string, tokens?: T[], last?: boolean): T[]
  inlineTokens(text: string, tokens?: T[]): T[]
}

/**
 * The tokens of a text that somebody else wrote, whatever it is: bounded in depth and in the work to find them. Undefined
 * where it is best shown as it was typed. The lexer is for this text alone.
 */
export function readMarkdown<T extends object>(lexer: Lexer<T>, text: string): T[] | undefined {
  if (PILED.test(text)) return undefined
  bound(lexer)
  try {
    return lexer.lex(text)
  } catch {
    // The lexer has a bug: the text is shown plain instead of lost.
    return undefined
  }
}

function bound<T extends object>(lexer: Lexer<T>): void {
  const readBlocks = lexer.blockTokens.bind(lexer)
  const readInline = lexer.inlineTokens.bind(lexer)
  let depth = 0

  function within(text: string, tokens: T[], read: () => T[]): T[] {
    if (depth >= DEEPEST) return asTyped(text, tokens)
    depth += 1
    const found = read()
    depth -= 1
    return found
  }

  lexer.blockTokens = (text, tokens = [], last) => within(text, tokens, () => readBlocks(text, tokens, last))
  lexer.inlineTokens = (text, tokens = []) =>
    text.length > INLINE || (text.match(/[*_~[\]<`]/g)?.length ?? 0) > MARKS
      ? asTyped(text, tokens)
      : within(text, tokens, () => readInline(text, tokens))
}

function asTyped<T extends object>(raw: string, tokens: T[]): T[] {
  if (raw !== '') tokens.push({ type: 'text', raw, text: raw, escaped: false } as unknown as T)
  return tokens
}
