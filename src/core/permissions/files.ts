import type { Located, Workplace } from './locate.ts'
import { isExact, pathMatches } from './patterns.ts'
import type { Act, Ruling } from './rules.ts'

/** Touching one file, judged by where it really is. */
export function fileAct(tool: string, file: Located, place: Workplace): Act {
  const writesProtected = file.access === 'write' && file.protects !== undefined
  const isAt = (pattern: string): boolean => pathMatches(pattern, file.real, place)
  return {
    what: `${file.access === 'write' ? 'writing' : 'reading'} ${file.real}`,
    tool,
    matches: (pattern) => (isAt(pattern) || pathMatches(pattern, file.literal, place) ? 'yes' : 'no'),
    covers: (pattern) =>
      pattern === undefined ? !writesProtected : isAt(pattern) && (!writesProtected || names(pattern, file)),
    otherwise: byDefault(tool, file, writesProtected),
    changesRights: writesProtected,
  }
}

/** A protected path has to be called by its name: a wildcard that happens to reach it does not mean it. */
function names(pattern: string, { protects = '' }: Located): boolean {
  if (isExact(pattern)) return true
  const name = protects.replace(/[/*]+$/, '')
  return pattern.split('/').some((segment) => segment.startsWith(name))
}

function byDefault(tool: string, file: Located, writesProtected: boolean): Ruling {
  if (writesProtected) return { decision: 'ask', because: `writing ${file.protects} changes what agents may do` }
  if (file.outside) return { decision: 'ask', because: `${file.real} is outside the workspace` }
  return { decision: 'allow', because: `${tool} in the workspace is allowed by default` }
}
