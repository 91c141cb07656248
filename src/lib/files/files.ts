import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { systemClock } from '../clock.ts'
import { hex } from '../ids.ts'

/** A small text file as last read. The same object comes back until the file changes, so callers can cache by it. */
export interface SmallFile {
  readonly path: string
  readonly text: string
  readonly hash: string
  /** The file is longer than the limit, and `text` is its beginning. */
  readonly cut: boolean
  /** Why the file could not be read; `text` is then empty. */
  readonly problem?: string
}

const SMALL = 256 * 1024
const KEPT_FILES = 4000
const KEPT_BYTES = 64 * 1024 * 1024
/** The coarsest step of a file system's clock: a file this fresh may change again without a new stamp. */
const SETTLED_MS = 2000

interface Kept {
  readonly stamp: string
  readonly settled: boolean
  readonly file: SmallFile
}

const kept = new Map<string, Kept>()
let keptBytes = 0

/**
 * Costs one stat when nothing changed. With `root` the file must really lie under it, and a link may lead only to a
 * file of the same kind: a project from elsewhere must not show us the person's other files.
 */
export function readSmall(path: string, options: { root?: string; limit?: number } = {}): SmallFile | undefined {
  const key = `${options.limit ?? ''}:${options.root ?? ''}:${path}`
  const stamp = stampOf(path)
  const known = kept.get(key)
  if (known?.settled && known.stamp === stamp) return known.file
  const read = stamp === undefined ? undefined : readNow(path, options.root, options.limit ?? SMALL)
  if (read === undefined) {
    forget(key)
    return undefined
  }
  const file = known && sameText(known.file, read.file) ? known.file : read.file
  forget(key)
  kept.set(key, { ...read, file })
  keptBytes += file.text.length
  while (kept.size > KEPT_FILES || keptBytes > KEPT_BYTES) forget(kept.keys().next().value ?? key)
  return file
}

interface FolderEntry {
  readonly name: string
  readonly folder: boolean
}

const listed = new Map<string, { stamp: string; entries: readonly FolderEntry[] }>()

export const MAX_ENTRIES = 2000

/** The entries of a folder by name, `MAX_ENTRIES` at most; none when the folder is missing or cannot be read. */
export function listFolder(path: string): readonly FolderEntry[] {
  const stats = statOf(path)
  if (!stats?.isDirectory()) return []
  const stamp = stampOfStats(stats)
  const known = listed.get(path)
  if (known?.stamp === stamp) return known.entries
  try {
    const found = readdirSync(path, { withFileTypes: true }).slice(0, MAX_ENTRIES)
    const entries = found
      .map((entry) => ({ name: entry.name, folder: isFolder(join(path, entry.name), entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    listed.delete(path)
    // What a link leads to may change while the folder stays as it is.
    if (isSettled(stats) && !found.some((entry) => entry.isSymbolicLink())) listed.set(path, { stamp, entries })
    if (listed.size > KEPT_FILES) listed.delete(listed.keys().next().value ?? path)
    return entries
  } catch {
    return []
  }
}

/** Writes the whole file or nothing, by a temporary file and a rename. Without `mode` the file keeps the one it had. */
export function writeAtomic(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true, ...(mode === 0o600 && { mode: 0o700 }) })
  const wanted = mode ?? statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644
  const temporary = join(dirname(path), `.${basename(path)}.${hex(6)}.tmp`)
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, text)
      fchmodSync(fd, wanted & 0o777)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Undefined when nothing is there or we may not look at it. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** The real path, or the path itself where nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

export const isInside = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

export const stampOfStats = (stats: Stats): string =>
  `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`

export const isSettled = (stats: Stats): boolean => systemClock.now() - stats.ctimeMs > SETTLED_MS

function stampOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && stampOfStats(stats)
  } catch (error) {
    return `unreadable:${codeOf(error)}`
  }
}

function readNow(path: string, root: string | undefined, limit: number): Kept | undefined {
  let fd: number | undefined
  try {
    const stray = root === undefined ? undefined : strayLink(path, root)
    if (stray) return failed(path, stray)
    // Opening does not block: a named pipe in the place of a file must not stop the process.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (!stats.isFile()) return failed(path, 'is not a file')
    const bytes = Buffer.alloc(Math.min(stats.size, limit))
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    const cut = stats.size > limit
    // A streaming decoder leaves out a character that the limit cuts in two.
    const text = new TextDecoder().decode(bytes.subarray(0, length), { stream: cut })
    return { stamp: stampOfStats(stats), settled: isSettled(stats), file: { path, text, hash: sha256(text), cut } }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    return failed(path, `cannot be read (${codeOf(error)})`)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function strayLink(path: string, root: string): string | undefined {
  const real = realpathSync.native(path)
  if (real === path) return undefined
  if (!isInside(real, realPath(root))) return 'is a link that leads out of the project; put a copy there instead'
  if (extname(real) !== extname(path)) return 'is a link to another kind of file; put a copy there instead'
  return undefined
}

const failed = (path: string, problem: string) => ({
  stamp: '',
  settled: false,
  file: { path, text: '', hash: sha256(problem), cut: false, problem },
})

const sameText = (a: SmallFile, b: SmallFile): boolean =>
  a.hash === b.hash && a.cut === b.cut && a.problem === b.problem

function forget(key: string): void {
  keptBytes -= kept.get(key)?.file.text.length ?? 0
  kept.delete(key)
}

function isFolder(path: string, entry: { isDirectory(): boolean; isSymbolicLink(): boolean }): boolean {
  return entry.isSymbolicLink() ? statOf(path)?.isDirectory() === true : entry.isDirectory()
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'error'
