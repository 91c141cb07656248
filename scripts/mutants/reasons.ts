import { existsSync, readFileSync } from 'node:fs'

/** The mutants that change nothing one could see: lines of a Markdown list, the name of each in backticks, then why. */
export function readReasons(path: string): Set<string> {
  if (!existsSync(path)) return new Set()
  const lines = readFileSync(path, 'utf8').split('\n')
  return new Set(lines.flatMap((line) => /^- `` (.+) ``: \S/.exec(line)?.[1] ?? []))
}
