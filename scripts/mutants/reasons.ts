import { existsSync, readFileSync } from 'node:fs'

/** Reads the names of mutants that need no test from a Markdown list: each line has the name in backticks, then why. */
export function readReasons(path: string): Set<string> {
  if (!existsSync(path)) return new Set()
  const lines = readFileSync(path, 'utf8').split('\n')
  return new Set(lines.flatMap((line) => /^- `` (.+) ``: \S/.exec(line)?.[1] ?? []))
}
