import { type Dirent, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const ENTRIES = 50_000

/**
 * Links in a repository. Git writes its log, its messages and its index where a link leads, so that one which a command
 * made would lead the person's own git out of the workspace. Single objects are never rewritten.
 */
export function linksIn(place: string): string[] {
  const found: string[] = []
  const folders = [place]
  let seen = 0
  for (let folder = folders.pop(); folder !== undefined && seen < ENTRIES; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) found.push(path)
      else if (entry.isDirectory() && !isObjects(folder, entry.name)) folders.push(path)
    }
  }
  return found
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
