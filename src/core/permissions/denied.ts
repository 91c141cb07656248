import { AppError } from '../../contract/errors.ts'
import { realPath, statOf } from '../../lib/files/files.ts'
import { wildcard } from '../../lib/wildcard.ts'
import type { Maker } from './makers.ts'
import { meantBelow } from './meant.ts'
import { type Base, fixedPart, pathMatches } from './patterns.ts'
import { type RuleDecision, type RuleSource, rulesOf } from './rules.ts'

/** Real paths that rules keep from agents: files, and folders with all that is in them. Only what is there is listed. */
interface Denied {
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Patterns with more to look at than the limit: what they deny is not listed in full. */
  readonly unlisted: readonly string[]
}

interface Ruled extends Base {
  readonly sources: readonly RuleSource[]
  readonly own: RuleSource
  readonly makers: readonly Maker[]
}

export function deniedPaths(
  sources: readonly RuleSource[],
  base: Base,
  decisions: readonly RuleDecision[] = ['deny'],
): Denied {
  const rules = rulesOf(sources).filter(({ decision }) => decisions.includes(decision))
  const unlisted = new Set<string>()
  const named = (word: string): string[] => {
    const patterns = rules.flatMap(({ tool, pattern }) => (wildcard(tool, word) ? (pattern ?? []) : []))
    const found = patterns.flatMap((pattern) => {
      const paths = matchesOf(pattern, base)
      if (paths === undefined) unlisted.add(pattern)
      return paths ?? []
    })
    return [...new Set(found.map(realPath))].toSorted()
  }
  return { read: named('read_file'), write: named('write_file'), unlisted: [...unlisted] }
}

/** Whether the sandbox keeps all that a pattern denies: what is there to be read, and what is there to be written in a place that is there. */
export function isKeptAway(access: 'read' | 'write', pattern: string, base: Base): boolean {
  if (access === 'read') return matchesOf(pattern, base) !== undefined
  const { path, rest } = fixedPart(pattern, base)
  // A file that is not there yet could be made, and a link that leads to it be replaced.
  return statOf(path) !== undefined && realPath(path) === path && rest.every((name) => name === '**')
}

/** Real paths that a search leaves out: a rule denies reading them, or asks for each. */
export function hiddenFrom(by: Ruled): readonly string[] {
  const makers = by.makers.map(({ from, permissions = {} }) => ({ from, rules: permissions }))
  const { read, unlisted } = deniedPaths([...by.sources, by.own, ...makers], by, ['deny', 'ask'])
  if (unlisted.length === 0) return read
  throw new AppError('tool.failed', `There are too many files to tell which of them ${unlisted.join(', ')} means.`, {
    hint: 'Nothing was searched. The person can write a rule that names folders.',
  })
}

/** Whether a rule keeps a file from being read unasked. */
export function isKeptFrom(by: Ruled): (path: string) => boolean {
  const makers = by.makers.map(({ from, permissions = {} }) => ({ from, rules: permissions }))
  const patterns = rulesOf([...by.sources, by.own, ...makers]).flatMap(({ decision, tool, pattern }) =>
    decision !== 'allow' && pattern !== undefined && wildcard(tool, 'read_file') ? [pattern] : [],
  )
  return (path) => patterns.some((pattern) => pathMatches(pattern, path, by))
}

/** What is there that the pattern means; undefined when that is too much to look at. */
function matchesOf(pattern: string, base: Base): string[] | undefined {
  const { path, rest } = fixedPart(pattern, base)
  if (statOf(path) === undefined) return []
  if (rest.every((name) => name === '**')) return [path]
  return meantBelow(path, rest, base.most)
}
