/** Scripts that put no spaces between words: there each letter is a word of its own, and a word is a phrase. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*/gu
const word = /[\p{L}\p{N}\p{M}]+/gu

const TERMS = 24
const TERM_CHARS = 100

/** Text as it goes into the index. */
export const spaced = (text: string): string => text.replace(unspaced, ' $& ')

/** The words of a query. Whatever else is in it (quotes, operators, signs) means nothing. */
export function termsOf(query: string): string[] {
  const found = query.normalize('NFC').match(word) ?? []
  return [...new Set(found.map((term) => term.slice(0, TERM_CHARS).toLowerCase()))].slice(0, TERMS)
}

/** What FTS5 is asked for: each term in quotes, which hold no quote. */
export const ftsQuery = (terms: readonly string[], how: 'AND' | 'OR'): string =>
  terms.map((term) => `"${spaced(term).trim().replace(/\s+/g, ' ')}"`).join(` ${how} `)

const SNIPPET_CHARS = 300
const BEFORE_CHARS = 80

/** The part of a text around the first of the words, in one line. */
export function snippetOf(body: string, terms: readonly string[]): string {
  const low = body.toLowerCase()
  const places = terms.map((term) => low.indexOf(term)).filter((at) => at >= 0)
  const at = Math.max(0, Math.min(...places, body.length) - BEFORE_CHARS)
  const from = places.length === 0 ? 0 : at
  const cut = body
    .slice(from, from + SNIPPET_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  return `${from > 0 ? '…' : ''}${cut}${from + SNIPPET_CHARS < body.length ? '…' : ''}`
}
