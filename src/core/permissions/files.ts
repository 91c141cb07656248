import { basename } from 'node:path'
import { isExact } from '../../lib/wildcard.ts'
import type { Located, Workplace } from './locate.ts'
import { mayMeanBelow, pathMatches } from './patterns.ts'
import type { Act, Ruling } from './rules.ts'

/** Rules about files are written with these words; they hold for whatever reads or writes the file. */
export const fileWords = { read: 'read_file', write: 'write_file' } as const

/** Touching one file, judged by where it really is. */
export function fileAct(tool: string, file: Located, place: Workplace): Act {
  const protects = writesProtected(file)
  return {
    what: `${file.access === 'write' ? 'writing' : 'reading'} ${file.real}`,
    tool,
    like: fileWords[file.access],
    matches: (pattern) => meaning(pattern, file, place),
    covers: (pattern) =>
      pattern === undefined ? !protects : pathMatches(pattern, file.real, place) && (!protects || names(pattern, file)),
    otherwise: byDefault(tool, file),
    changesRights: protects,
  }
}

/** Ordinary files of the workspace that a command touches: only rules that deny or ask say anything about them. */
export function filesAct(access: Located['access'], files: readonly Located[], place: Workplace): Act {
  const shown = files.slice(0, 3).map(({ real }) => real.slice(place.workspace.length + 1) || '.')
  const what = `${access === 'write' ? 'writing' : 'reading'} ${shown.join(', ')}${files.length > 3 ? ', …' : ''}`
  return {
    what,
    tool: fileWords[access],
    byPattern: true,
    matches(pattern) {
      const found = files.map((file) => meaning(pattern, file, place))
      return found.find((one) => one === 'yes') ?? found.find((one) => one === 'maybe') ?? 'no'
    },
    covers: () => true,
    otherwise: { decision: 'allow', because: `${what} in the workspace is allowed by default` },
  }
}

/** Writing there changes what agents may do. */
export const writesProtected = ({ access, protects }: Located): boolean => access === 'write' && protects !== undefined

function meaning(pattern: string, file: Located, place: Workplace): 'yes' | 'maybe' | 'no' {
  if (pathMatches(pattern, file.real, place) || pathMatches(pattern, file.literal, place)) return 'yes'
  return file.deep && mayMeanBelow(pattern, file.real, place) ? 'maybe' : 'no'
}

/** A protected path has to be called by its name: a wildcard that happens to reach it does not mean it. */
function names(pattern: string, { protects = '' }: Located): boolean {
  if (isExact(pattern)) return true
  const name = basename(protects.replace(/[/*]+$/, ''))
  return pattern.split('/').some((segment) => segment.startsWith(name))
}

function byDefault(tool: string, file: Located): Ruling {
  if (writesProtected(file)) return { decision: 'ask', because: `writing ${file.protects} changes what agents may do` }
  if (file.outside) return { decision: 'ask', because: `${file.real} is outside the workspace` }
  return { decision: 'allow', because: `${tool} in the workspace is allowed by default` }
}
