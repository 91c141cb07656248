/** `*` stands for any text, `\\x` for the character x. The work is at most length of pattern times length of text. */
export const wildcard = (pattern: string, text: string): boolean => fits(tokens(pattern), text)

const ALTERNATIVES = 100

/**
 * A glob of names: `*` is any text, `?` one character, `{a,b}` one of these. Whoever writes it may be hostile, so it is no
 * regular expression: those can take for ever. Undefined for what other programs have in globs and we do not.
 */
export function nameGlob(glob: string): ((name: string) => boolean) | undefined {
  if (/^!|[!+@?*]\(|\[/.test(glob)) return undefined
  const all = alternatives(glob)
  const wanted = all?.map((one) => [...one].map((sign) => (sign === '*' ? ANY : sign === '?' ? ONE : sign)))
  return wanted && ((name) => wanted.some((each) => fits(each, name)))
}

/** Undefined where there are too many. */
function alternatives(glob: string): string[] | undefined {
  let all = ['']
  for (const piece of glob.split(/(\{[^{}]*,[^{}]*\})/)) {
    const choices = /^\{.*,.*\}$/s.test(piece) ? piece.slice(1, -1).split(',') : [piece]
    if (all.length * choices.length > ALTERNATIVES) return undefined
    all = all.flatMap((begun) => choices.map((choice) => begun + choice))
  }
  return all
}

/** Any text, one sign, or one of several signs. */
export type Piece = string | ((sign: string) => boolean)

/** Whether pieces make up a text, sign by sign. No piece is tried at a place more often than once for each star before it. */
export function fits(wanted: readonly Piece[], text: ArrayLike<string>): boolean {
  let at = 0
  let from = 0
  let star = -1
  let resume = 0
  while (from < text.length) {
    if (at < wanted.length && wanted[at] === ANY) {
      star = at
      resume = from
      at += 1
    } else if (at < wanted.length && isOne(wanted[at]!, text[from]!)) {
      at += 1
      from += 1
    } else if (star >= 0) {
      at = star + 1
      resume += 1
      from = resume
    } else return false
  }
  while (wanted[at] === ANY) at += 1
  return at === wanted.length
}

const isOne = (piece: Piece, sign: string): boolean => (typeof piece === 'string' ? piece === sign : piece(sign))

/** A pattern that matches this text and nothing else. */
export const exactly = (text: string): string => text.replace(/[\\*]/g, '\\$&')

/** How many characters of a text a pattern states before its first wildcard. */
export function fixedLength(pattern: string): number {
  const all = tokens(pattern)
  const first = all.indexOf(ANY)
  return first < 0 ? all.length : first
}

export const isExact = (pattern: string): boolean => !tokens(pattern).includes(ANY)

/** The text of a pattern without a wildcard. */
export const plainText = (pattern: string): string => tokens(pattern).join('')

/** No sign is as long as this. */
export const ANY = '*…'
export const ONE = (): boolean => true

function tokens(pattern: string): string[] {
  const found: string[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) {
      at += 1
      found.push(pattern[at]!)
    } else if (pattern[at] !== '*') found.push(pattern[at]!)
    else if (found.at(-1) !== ANY) found.push(ANY)
  }
  return found
}
