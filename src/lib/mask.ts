import type { Variables } from './environment.ts'

export type Mask = (text: string) => string

const SHORTEST = 8
const secretName = /key|token|secret|passw|credential|auth|database_url/i

/** What keys of well-known services look like; each is long and begins in a way that other text does not. */
const shapes = new RegExp(
  [
    'sk-[A-Za-z0-9_-]{20,}',
    '(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,}',
    'github_pat_[A-Za-z0-9_]{30,}',
    'glpat-[A-Za-z0-9_-]{18,}',
    'xox[abeoprs]-[A-Za-z0-9-]{20,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{35}',
    'npm_[A-Za-z0-9]{30,}',
    '(?:sk|rk)_live_[A-Za-z0-9]{16,}',
    'hf_[A-Za-z0-9]{30,}',
    'ses_[0-9a-f]{32}_[A-Za-z0-9_-]{20,}',
    'eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}',
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\]{40,20000}?-----END [A-Z ]*PRIVATE KEY-----',
  ].join('|'),
  'g',
)
const beginnings = /sk-|gh[opusr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|npm_|_live_|hf_|ses_|eyJ|PRIVATE KEY/

/**
 * Hides secrets in text that is about to be written: the values it was told, and what looks like a key. Best effort:
 * what is encoded, cut in two or unknown it cannot see.
 */
export function createMask(secrets: () => readonly string[]): Mask {
  let known: readonly string[] = []
  let values: string[] = []
  return (text) => {
    const now = secrets()
    if (now !== known) {
      known = now
      // The longest first: one secret may be the beginning of another.
      values = [...new Set(now.filter((value) => value.length >= SHORTEST).flatMap(spellings))].sort(
        (a, b) => b.length - a.length,
      )
    }
    const masked = values.reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, HIDDEN) : rest), text)
    return beginnings.test(masked) ? masked.replace(shapes, HIDDEN) : masked
  }
}

const HIDDEN = '[secret]'

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

/** Every text in a value, masked. Looked at as one text, as nearly always there is nothing to hide. */
export function maskDeep<T>(mask: Mask, value: T): T {
  if (typeof value === 'string') return mask(value) as T
  const text = JSON.stringify(value)
  if (text === undefined || mask(text) === text) return value
  if (Array.isArray(value)) return value.map((one) => maskDeep(mask, one)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskDeep(mask, one)])) as T
}

/** Paths, numbers and switches are named like secrets at times (SSH_AUTH_SOCK, TOKEN_LIMIT) and are none. */
const isPlain = (value: string): boolean => /^(\/|~)/.test(value) || /^\d*$/.test(value) || value.length < SHORTEST

/** As it is, as it stands in JSON, and as it stands in an address. */
const spellings = (value: string): string[] => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
