import { search } from '../../lib/files/search.ts'

const FILES = 20_000
const LIMIT_MS = 5000
const FRESH_MS = 10_000

/**
 * The files below a folder that .gitignore does not name, as last read. A thread of its own reads them; `changed` is
 * called when it is done.
 */
export function filesOf(folder: string, now: () => number, changed: () => void): () => readonly string[] {
  let found: readonly string[] = []
  let readAt = Number.NEGATIVE_INFINITY
  const request = { kind: 'glob', pattern: '**', root: folder, from: [], includeIgnored: false, hidden: [] } as const
  return () => {
    if (now() - readAt < FRESH_MS) return found
    readAt = now()
    search({ ...request, limit: FILES, limitMs: LIMIT_MS }, AbortSignal.timeout(LIMIT_MS * 2)).then(
      ({ lines }) => {
        found = lines
        changed()
      },
      // A folder that cannot be read has no files to offer.
      () => {},
    )
    return found
  }
}

/** The best paths for a typed text: it begins the name, begins the path, is in the path, or is its letters in order. */
export function matching(paths: readonly string[], typed: string, limit: number): string[] {
  const wanted = typed.toLowerCase()
  const ranked = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted)
    return rank === undefined ? [] : [{ path, rank }]
  })
  const depth = (path: string): number => path.split('/').length
  ranked.sort((a, b) => a.rank - b.rank || depth(a.path) - depth(b.path) || a.path.localeCompare(b.path))
  return ranked.slice(0, limit).map(({ path }) => path)
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = path.replace(/\/$/, '').split('/').at(-1) ?? ''
  if (name.startsWith(wanted)) return 0
  if (path.startsWith(wanted)) return 1
  if (path.includes(wanted)) return 2
  let at = 0
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1
    if (at === 0) return undefined
  }
  return 3
}
