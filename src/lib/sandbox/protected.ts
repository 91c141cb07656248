import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isProtectedName } from '../files/paths.ts'

const ENTRIES = 300_000
/** So many entries are read before others get their turn. */
const AT_ONCE = 2000

export interface ProtectedPaths {
  readonly paths: readonly string[]
  /** The folder has more entries than are looked at; those nearest to its top were. */
  readonly cut: boolean
}

/**
 * Every protected name under a folder, at any depth. What packages bring along in `node_modules` acts on nobody until it
 * is moved out of there, and then it is found.
 */
export async function protectedUnder(root: string, hidden: readonly string[]): Promise<ProtectedPaths> {
  const paths: string[] = []
  let folders = [root]
  let seen = 0
  let turn = AT_ONCE
  while (folders.length > 0) {
    const below: string[] = []
    for (const folder of folders) {
      for (const entry of entriesOf(folder)) {
        seen += 1
        const path = join(folder, entry.name)
        if (hidden.includes(path)) continue
        if (isProtectedName(entry.name, entry.isDirectory())) paths.push(path)
        else if (entry.isDirectory() && entry.name !== 'node_modules') below.push(path)
      }
      if (seen > ENTRIES) return { paths, cut: true }
      if (seen > turn) {
        turn = seen + AT_ONCE
        await setImmediate()
      }
    }
    folders = below
  }
  return { paths, cut: false }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
