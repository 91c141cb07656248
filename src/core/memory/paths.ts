import { AppError } from '../../contract/errors.ts'
import { iso } from '../../lib/clock.ts'
import type { Scope } from './scopes.ts'

export const MAIN = 'MEMORY.md'
export const INDEX = 'index.md'
const DEPTH = 6
const name = /^[\p{L}\p{N}_(][\p{L}\p{M}\p{N} ._()'+-]*$/u
const daily = /^\d{4}-\d{2}-\d{2}\.md$/

/** The file that a path names in a scope, spelled in the one way; `today` is the log of the day. */
export function memoryPath(scope: Pick<Scope, 'without' | 'main'>, given: string, now: number): string {
  if (given === MAIN && scope.main !== undefined) return scope.main
  const path = given === 'today' ? logOf(now) : given.replace(/^\.\//, '').normalize('NFC')
  const why = problemOf(scope, path)
  if (why === undefined) return path
  throw new AppError('memory.path', `${JSON.stringify(given.slice(0, 200))} is no path of a memory file: ${why}.`, {
    hint: 'Use letters, digits, spaces, dots and dashes, such as "knowledge/build.md", or "today" for the log of the day.',
  })
}

export const isMemoryPath = (scope: Pick<Scope, 'without'>, path: string): boolean =>
  problemOf(scope, path) === undefined

const logOf = (at: number): string => `${iso(at).slice(0, 10)}.md`

const DAY_MS = 86_400_000

/** The logs of today and yesterday. */
export const recentLogs = (now: number): [string, string] => [logOf(now), logOf(now - DAY_MS)]

export const isLog = (path: string): boolean => daily.test(path)

function problemOf({ without }: Pick<Scope, 'without'>, path: string): string | undefined {
  const names = path.split('/')
  if (names.length > DEPTH) return `it is more than ${DEPTH} folders deep`
  if (!path.endsWith('.md')) return 'it does not end in ".md"'
  if (!names.every((each) => name.test(each) && Buffer.byteLength(each) <= 200)) return 'a name in it has other signs'
  // Some file systems take "Agents" for the same folder.
  if (names.length > 1 && without.includes(names[0]!.normalize('NFKC').toLowerCase())) return 'it belongs to an agent'
  return undefined
}
