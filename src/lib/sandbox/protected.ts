import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { codeOf, isSettled, stampOfStats } from '../files/files.ts'
import { isProtectedName } from '../files/paths.ts'
import { lookAt, namesIn } from './entries.ts'

const ENTRIES = 300_000
/** So many entries are read before others get their turn. */
const AT_ONCE = 2000
/** The system takes no longer path, but a command gets there folder by folder. */
const PATH_BYTES = 4096

interface ProtectedPaths {
  readonly paths: readonly string[]
  /** The folder has more entries than are looked at, or lies deeper than a path can name; those nearest to its top were. */
  readonly cut: boolean
  /** Folders that may not be looked into. */
  readonly unread: readonly string[]
}

/**
 * Every protected name under a folder, at any depth. What packages bring along in `node_modules` acts on nobody until it
 * is moved out of there, and then it is found.
 */
export async function protectedUnder(
  root: string,
  hidden: readonly string[],
  personal: string | undefined,
  most = ENTRIES,
): Promise<ProtectedPaths> {
  const paths = personalIn(personal).filter((path) => !hidden.includes(path))
  const unread: string[] = []
  let folders = [root]
  let seen = 0
  let turn = AT_ONCE
  let deeper = false
  while (folders.length > 0) {
    const below: string[] = []
    for (const folder of folders.filter((path) => !hidden.includes(path))) {
      if (Buffer.byteLength(folder) >= PATH_BYTES) deeper = true
      const found = contentsOf(folder)
      if (found.unread) unread.push(folder)
      paths.push(...found.named.map((name) => join(folder, name)).filter((path) => !hidden.includes(path)))
      below.push(...found.folders.map((name) => join(folder, name)))
      seen += found.entries
      if (seen > most) return { paths, cut: true, unread }
      if (seen > turn) {
        turn = seen + AT_ONCE
        await setImmediate()
      }
    }
    folders = below
  }
  return { paths, cut: deeper, unread }
}

/** Such files of the person's home folder; the protected names among them are found with all others. */
const personalIn = (folder: string | undefined): string[] =>
  folder === undefined
    ? []
    : namesIn(folder)
        .filter((name) => name.startsWith('.') && !isProtectedName(name, true) && !isProtectedName(name, false))
        .map((name) => join(folder, name))

interface Contents {
  readonly named: readonly string[]
  readonly folders: readonly string[]
  readonly entries: number
  readonly unread?: boolean
}

const KEPT = 50_000
const kept = new Map<string, Contents & { readonly stamp: string }>()
const nothing: Contents = { named: [], folders: [], entries: 0 }

/** A folder's stamp changes with every name that is added to it or taken away, so most are read once. */
function contentsOf(folder: string): Contents {
  const stats = lookAt(folder)
  if (!stats?.isDirectory()) return nothing
  const stamp = stampOfStats(stats)
  const known = kept.get(folder)
  if (known?.stamp === stamp) return known
  const contents = { ...read(folder), stamp }
  kept.delete(folder)
  if (isSettled(stats)) kept.set(folder, contents)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? folder)
  return contents
}

function read(folder: string): Contents {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const named = entries.filter((entry) => isProtectedName(entry.name, entry.isDirectory()))
    const folders = entries.filter((entry) => entry.isDirectory() && !named.includes(entry))
    return {
      named: named.map(({ name }) => name),
      folders: folders.map(({ name }) => name).filter((name) => name !== 'node_modules'),
      entries: entries.length,
    }
  } catch (error) {
    return codeOf(error) === 'EACCES' ? { ...nothing, unread: true } : nothing
  }
}
