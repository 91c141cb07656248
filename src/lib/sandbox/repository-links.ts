import { type Dirent, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const ENTRIES = 50_000

interface RepositoryLinks {
  readonly paths: readonly string[]
  /** There are more entries than are looked at. */
  readonly cut: boolean
}

/**
 * Links in a repository. Git writes its log, its messages and its index where a link leads, so that one which a command
 * made would lead the person's own git out of the workspace. Single objects are never rewritten.
 */
export function linksIn(place: string, most = ENTRIES): RepositoryLinks {
  const paths: string[] = []
  const folders = [place]
  let seen = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (seen >= most) return { paths, cut: true }
    for (const entry of entriesOf(folder)) {
      seen += 1
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) paths.push(path)
      else if (entry.isDirectory() && !isObjects(folder, entry.name)) folders.push(path)
    }
  }
  return { paths, cut: false }
}

const isObjects = (folder: string, name: string): boolean =>
  basename(folder) === 'objects' && /^[0-9a-f]{2}$/.test(name)

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
