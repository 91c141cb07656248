const SINCE = /for [\w. ]+ \(since (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC\)/

/** The time in a line of `why`, and the words around it: the page counts it on, where the line says how long it was. */
export function timeIn(line: string): { before: string; since: string; behind: string } | undefined {
  const found = SINCE.exec(line)
  if (found === null) return undefined
  const behind = line.slice(found.index + found[0].length)
  return { before: line.slice(0, found.index), since: `${found[1]}T${found[2]}Z`, behind }
}
