import { join } from 'node:path'
import { exactly, isExact, plainText, wildcard } from '../../lib/wildcard.ts'

export interface Base {
  readonly projectPath: string
  /** The person's home folder, for `~`. */
  readonly userHome: string | undefined
  /** How many files and folders are looked at to find out what a pattern means. */
  readonly most?: number
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
    path: fixed.map(plainText).join('/') || '/',
    rest: first < 0 ? [] : names.slice(first),
  }
}

function absolute(pattern: string, { projectPath, userHome }: Base): string {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern
  if (whole.startsWith('/')) return whole
  if (whole.startsWith('~/') && userHome !== undefined) return join(exactly(userHome), whole.slice(2))
  return `${exactly(projectPath)}/${whole.replace(/^(\.\/)+/, '')}`
}
