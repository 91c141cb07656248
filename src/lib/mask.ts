import type { Variables } from './process/environment.ts'

/** Hides secrets in a text. */
export interface Mask {
  (text: string): string
  /** How much of the end of a text may be the beginning of a secret, for text that comes in pieces. */
  readonly unfinished?: (text: string) => number
}

const SHORTEST = 8
/** KEYBOARD and GIT_AUTHOR_NAME must not match: their values are ordinary words. */
const secretName =
  /api_?key|(?:^|[_-])keys?(?:$|[_-])|token|secret|passw|credential|(?:^|[_-])auth(?:$|[_-])|authorization|database_url/i

/** A prefix deep inside a long run of such characters is data (a picture, a signature), which a mask would damage. */
const notInData = (prefix: string, run = '[A-Za-z0-9_-]'): string => `(?:${prefix})(?<!${run}{16}(?:${prefix}))`

/** What keys of well-known services look like; each is long and begins in a way that other text does not. */
const shapes = new RegExp(
  [
    // The prefix must not be the end of a word such as task-, disk-, risk-.
    `${notInData('sk-')}(?<![A-Za-z]{2}sk-)[A-Za-z0-9_-]{20,}`,
    `${notInData('gh[opusr]_')}[A-Za-z0-9]{30,}`,
    `${notInData('github_pat_')}[A-Za-z0-9_]{30,}`,
    `${notInData('glpat-')}[A-Za-z0-9_-]{18,}`,
    `${notInData('xox[abeoprs]-')}[A-Za-z0-9-]{20,}`,
    `${notInData('AKIA|ASIA', '[A-Za-z0-9+/]')}[A-Z0-9]{16}`,
    `${notInData('AIza', '[A-Za-z0-9+/]')}[A-Za-z0-9_-]{35}`,
    `${notInData('npm_')}[A-Za-z0-9]{30,}`,
    `${notInData('[sr]k_live_')}[A-Za-z0-9]{16,}`,
    `${notInData('hf_')}[A-Za-z0-9]{30,}`,
    'ses_[0-9a-f]{32}_[A-Za-z0-9_-]{20,}',
    `${notInData('eyJ')}[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}`,
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\]{40,20000}?-----END [A-Z ]*PRIVATE KEY-----',
  ].join('|'),
  'g',
)
const beginnings = /sk-|gh[opusr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|npm_|_live_|hf_|ses_|eyJ|PRIVATE KEY/
const oneBeginning =
  /(?<![A-Za-z]{2})sk-|gh[opusr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|npm_|[sr]k_live_|hf_|ses_|eyJ/
const KEY_CHARS = 4000
const BLOCK = '-----BEGIN '
const BLOCK_CHARS = 21_000
/** Fewer characters of a known secret than this may as well be the end of a word, so they are not held back. */
const TELLING = 4

const CLEAN_KEPT = 8
const LONG = 256

/**
 * Hides secrets in text that is about to be written: the given values, and whatever looks like a key. This is best
 * effort: a secret that is encoded or unknown is not seen.
 */
export function createMask(secrets: () => readonly string[]): Mask {
  let known: readonly string[] = []
  let values: string[] = []
  /** Long texts found clean lately, because a text is masked twice: before it is shown and where it is written. */
  let clean: string[] = []

  function learn(): void {
    const now = secrets()
    if (now === known) return
    known = now
    clean = []
    // The longest comes first, because one secret may be the beginning of another.
    values = [...new Set(now.filter((value) => value.length >= SHORTEST).flatMap(spellings))].sort(
      (a, b) => b.length - a.length,
    )
  }

  function mask(text: string): string {
    learn()
    if (text.length < SHORTEST) return text
    if (text.length >= LONG && clean.includes(text)) return text
    const plain = values.reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, HIDDEN) : rest), text)
    const masked = beginnings.test(plain) ? plain.replace(shapes, HIDDEN) : plain
    if (masked === text && text.length >= LONG) clean = [text, ...clean.slice(0, CLEAN_KEPT - 1)]
    return masked
  }

  function unfinished(text: string): number {
    learn()
    const shaped = Math.max(keyAtEnd(text), blockAtEnd(text), begins(BLOCK, text))
    return values.reduce((most, value) => Math.max(most, begins(value, text)), shaped)
  }

  return Object.assign(mask, { unfinished })
}

/** How much of the end may be an unfinished key. A loop finds where its characters begin: the text may be hostile. */
function keyAtEnd(text: string): number {
  let from = text.length
  while (from > 0 && text.length - from < KEY_CHARS && isOfKey(text.charCodeAt(from - 1))) from--
  const found = oneBeginning.exec(text.slice(from))
  return found ? text.length - from - found.index : 0
}

/** `[A-Za-z0-9_.-]`. By number, because every piece of a stream is looked at, and a flood is all of them. */
const isOfKey = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 45 && code <= 57 && code !== 47) || code === 95

/** A private key that has no end yet, or a heading that may become one. */
function blockAtEnd(text: string): number {
  const from = text.lastIndexOf(BLOCK)
  const length = text.length - from
  if (from < 0 || length > BLOCK_CHARS) return 0
  const [, heading = '', rest = ''] = /^([A-Z ]{0,40}-{0,5})(.*)$/s.exec(text.slice(from + BLOCK.length)) ?? []
  if (rest === '') return length
  return heading.endsWith('PRIVATE KEY-----') && !/-----END [A-Z ]{0,40}-----/.test(rest) ? length : 0
}

/** How many characters at the end of a text are the beginning of this value. */
function begins(value: string, text: string): number {
  const last = text.at(-1) ?? ''
  for (let at = value.lastIndexOf(last, value.length - 2); at >= TELLING - 1; at = value.lastIndexOf(last, at - 1))
    if (text.endsWith(value.slice(0, at + 1))) return at + 1
  return 0
}

/** What stands in the place of a secret. */
export const HIDDEN = '[secret]'

/** The values of variables that are named like secrets, and passwords in the addresses of others. */
export const secretsIn = (env: Variables): string[] =>
  Object.entries(env).flatMap(([name, value = '']) => [
    ...(secretName.test(name) && !isPlain(value) ? [value] : []),
    ...passwordIn(value),
  ])

/** The password of `scheme://user:password@host`. */
export function passwordIn(text: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^:@/\s]*:([^@/\s]+)@/i.exec(text)?.[1]
  return password === undefined ? [] : [password, decoded(password)]
}

/** Masks every text in a value. It first checks the whole as one text, as there is nearly always nothing to hide. */
export function maskDeep<T>(mask: Mask, value: T): T {
  if (typeof value === 'string') return mask(value) as T
  const text = JSON.stringify(value)
  if (text === undefined || mask(text) === text) return value
  if (Array.isArray(value)) return value.map((one) => maskDeep(mask, one)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskDeep(mask, one)])) as T
}

/** Masks a column that may hold JSON: JSON stays JSON, whatever the secret looks like. */
export function maskJson(mask: Mask, text: string): string {
  const masked = mask(text)
  if (masked === text || !/^[[{"]/.test(text)) return masked
  const value = parsed(text)
  return value === undefined || parsed(masked) !== undefined ? masked : JSON.stringify(maskDeep(mask, value))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Paths, numbers and switches are no secrets, although some are named like one (SSH_AUTH_SOCK, TOKEN_LIMIT). */
const isPlain = (value: string): boolean => /^(\/|~)/.test(value) || /^\d*$/.test(value) || value.length < SHORTEST

/** The value as it is, as it stands in JSON, and as it stands in an address. */
const spellings = (value: string): string[] => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
