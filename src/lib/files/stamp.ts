import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const MOST = 20_000
/** What tools make by themselves, and what is ours or git's. */
const LEFT_OUT = new Set(['.git', '.troupe', 'node_modules'])

/**
 * A digest of which files lie under a folder, how long they are and when they were written. Links are not followed.
 * Of a folder with more files than this looks at, the rest does not count.
 */
export async function stampFolder(root: string, most = MOST): Promise<string> {
  const hash = createHash('sha256')
  const folders = ['']
  let left = most
  for (let folder = folders.shift(); folder !== undefined && left > 0; folder = folders.shift()) {
    for (const entry of await entriesOf(join(root, folder))) {
      if (LEFT_OUT.has(entry.name) || left <= 0) continue
      left -= 1
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      if (!entry.isFile()) continue
      const stats = await stat(join(root, path)).catch(() => undefined)
      if (stats) hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\0`)
    }
  }
  return hash.digest('hex')
}

async function entriesOf(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}
