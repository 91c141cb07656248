/** One line of at most `length` characters. Where something is missing it ends with "…", also where blanks stood between. */
export function shorten(text: string, length: number): string {
  const cut = text.length > length * 2
  const flat = (cut ? text.slice(0, length * 2) : text).replace(/\s+/g, ' ')
  return clip(cut ? `${flat}…` : flat, length)
}

/** At most `length` characters, lines and all. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(HALF, '')}…`

/** Half of a character that takes two places. */
const HALF = /[\ud800-\udbff]$/
