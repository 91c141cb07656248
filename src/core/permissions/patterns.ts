import { join } from 'node:path'

/** `*` stands for any text, `\x` for the character x. The work is at most length of pattern times length of text. */
export function wildcard(pattern: string, text: string): boolean {
  const wanted = tokens(pattern)
  let at = 0
  let from = 0
  let star = -1
  let resume = 0
  while (from < text.length) {
    if (at < wanted.length && wanted[at] === ANY) {
      star = at
      resume = from
      at += 1
    } else if (at < wanted.length && wanted[at] === text[from]) {
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

/** A pattern that matches this text and nothing else. */
export const exactly = (text: string): string => text.replace(/[\\*]/g, '\\$&')

/** How many characters of a text a pattern states before its first wildcard. */
export function fixedLength(pattern: string): number {
  const all = tokens(pattern)
  const first = all.indexOf(ANY)
  return first < 0 ? all.length : first
}

export const isExact = (pattern: string): boolean => !tokens(pattern).includes(ANY)

const ANY = '*…'

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

export interface Base {
  readonly projectPath: string
  /** The person's home folder, for `~`. */
  readonly userHome: string | undefined
}

const SEGMENTS = 200

/** `*` stands within one name, `**` for any folders. A path is relative to the project; `x/` means all in x. */
export function pathMatches(pattern: string, path: string, base: Base): boolean {
  const wanted = absolute(pattern, base).split('/')
  const given = path.split('/')
  if (wanted.length > SEGMENTS || given.length > SEGMENTS) return false
  // For each prefix of the pattern: which prefixes of the path it matches.
  let reached = new Set([0])
  for (const name of wanted) {
    const next = new Set<number>()
    for (const at of reached) {
      if (name === '**') for (let to = at; to <= given.length; to += 1) next.add(to)
      else if (at < given.length && wildcard(name, given[at]!)) next.add(at + 1)
    }
    reached = next
  }
  return reached.has(given.length)
}

/** Whether the pattern may mean something in this folder. */
export function mayMeanBelow(pattern: string, folder: string, base: Base): boolean {
  const { path } = fixedPart(pattern, base)
  return path === folder || path.startsWith(`${folder}/`) || (folder.startsWith(`${path}/`) && !isExact(pattern))
}

/** The path before the first name with a wildcard, and the names from there on. */
export function fixedPart(pattern: string, base: Base): { readonly path: string; readonly rest: readonly string[] } {
  const names = absolute(pattern, base).split('/')
  const first = names.findIndex((name) => !isExact(name))
  const fixed = first < 0 ? names : names.slice(0, first)
  return {
    path: fixed.map((name) => tokens(name).join('')).join('/') || '/',
    rest: first < 0 ? [] : names.slice(first),
  }
}

function absolute(pattern: string, { projectPath, userHome }: Base): string {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern
  if (whole.startsWith('/')) return whole
  if (whole.startsWith('~/') && userHome !== undefined) return join(exactly(userHome), whole.slice(2))
  return `${exactly(projectPath)}/${whole.replace(/^(\.\/)+/, '')}`
}
