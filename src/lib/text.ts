import { stripVTControlCharacters } from 'node:util'

/** Keeps the beginning and the end of a text of any length. */
interface HeadTail {
  push(text: string): void
  text(): string
  /** Characters pushed so far. */
  readonly total: number
}

export function headTail(limit: number): HeadTail {
  const headLimit = Math.floor(limit / 2)
  const tailLimit = limit - headLimit
  let head = ''
  let tail = ''
  let total = 0
  return {
    push(text) {
      total += text.length
      const toHead = text.slice(0, headLimit - head.length)
      head += toHead
      tail += text.slice(toHead.length)
      // The tail grows to twice its limit before it is cut, so that not every small piece copies it.
      if (tail.length > 2 * tailLimit) tail = tail.slice(-tailLimit)
    },
    text() {
      const end = tail.length > tailLimit ? tail.slice(-tailLimit) : tail
      const cut = total - head.length - end.length
      return cut === 0 ? head + end : `${head}\n[… ${cut} characters cut …]\n${end}`
    },
    get total() {
      return total
    },
  }
}

/** The first `limit` characters and, when some are missing, a note that says how to get the rest. */
export function cutTo(text: string, limit: number, note: (missing: number) => string): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n[${note(text.length - limit)}]`
}

/** Text that every database and every model takes: no colour codes, no NUL, no half of a surrogate pair. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll('\0', '\u2400').toWellFormed()

/** Words of somebody else may lack the full stop that keeps the next sentence apart. */
export const asSentence = (text: string): string =>
  /[.!?…]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`
