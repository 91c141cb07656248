import type { z } from 'zod'
import type { Problem } from '../../contract/agents.ts'
import { badKeys } from '../../lib/bad-keys.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

const ROUNDS = 100
const UNKNOWN = 'is not a known key; check its spelling or remove it'

/** What is wrong, by file and field. */
export function problemsOf(file: string, issues: readonly Issue[]): Problem[] {
  return issues.flatMap((issue) => placesOf(issue).map((path) => problemAt(file, path, sentenceOf(issue))))
}

/** The schemas of records pass over such keys in silence. */
export const badKeyProblems = (file: string, value: unknown): Problem[] =>
  badKeys(value).map((path) => problemAt(file, path, UNKNOWN))

/** Keeps what fits the schema; what does not fit is left out and named in `problems`. */
export function keepValid<T>(
  schema: z.ZodType<T>,
  given: unknown,
  file: string,
): { value: T | undefined; problems: Problem[] } {
  const value = structuredClone(given)
  const problems = badKeyProblems(file, value)
  for (const path of badKeys(value)) remove(value, path)
  for (let round = 0; round < ROUNDS; round++) {
    const result = schema.safeParse(value)
    if (result.success) return { value: result.data, problems }
    problems.push(...problemsOf(file, result.error.issues))
    const paths = result.error.issues.flatMap(placesOf)
    if (paths.some((path) => path.length === 0)) break
    // Later elements first, so that the places of the earlier ones stay right.
    for (const path of paths.reverse()) {
      if (remove(value, path)) continue
      // What is missing cannot be left out: whatever lacks it is, and the rest is looked at again.
      remove(value, path.slice(0, -1))
      break
    }
  }
  return { value: undefined, problems }
}

/** The problems as one line for an error's sentence. */
export const inWords = (problems: readonly Problem[]): string =>
  problems
    .slice(0, 3)
    .map(({ file, field, message }) => `${file}${field ? `: ${field}` : ''}: ${message}`)
    .join('; ') + (problems.length > 3 ? `; and ${problems.length - 3} more` : '')

function placesOf(issue: Issue): Path[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
}

function sentenceOf(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return UNKNOWN
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message.replace(/^Invalid input: /, '')
}

const problemAt = (file: string, path: Path, message: string): Problem =>
  path.length === 0 ? { file, message } : { file, field: path.map(String).join('.'), message }

/** Says whether there was something to leave out. */
function remove(root: unknown, path: Path): boolean {
  const key = path.at(-1)
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], root)
  if (!holder || typeof holder !== 'object' || key === undefined || !Object.hasOwn(holder, key)) return false
  if (Array.isArray(holder) && typeof key === 'number') holder.splice(key, 1)
  else delete (holder as Record<PropertyKey, unknown>)[key]
  return true
}
