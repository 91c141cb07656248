import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isSettled, sha256, stampOfStats } from '../files/files.ts'
import { hex } from '../ids.ts'

/**
 * What stands at a path, and how it is made to stand there again. A command may still run in the folder, so no link is
 * ever followed: every folder on the way is opened as what it is, and the name is looked up in the opened folder.
 */

export type PathEntry =
  | { readonly kind: 'folder' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'file'; readonly mode: number; readonly digest: string }
  | { readonly kind: 'other' }

export type Tree = Map<string, PathEntry>

const TREE_ENTRIES = 3000
const TREE_BYTES = 16 * 1024 * 1024
/** Each name is looked up from the root of the disk, folder by folder. */
const TREE_DEPTH = 50

/** Everything at and below a path, by path; the bytes of its files are kept in a folder. Undefined when it is too big. */
export function treeAt(top: string, kept: string): Tree | undefined {
  const tree: Tree = new Map()
  let bytes = 0
  const visit = (at: string, path: string): boolean => {
    const stats = lookAt(at)
    if (stats === undefined || isOurs(path)) return true
    bytes += stats.isFile() ? stats.size : 0
    if (tree.size >= TREE_ENTRIES || bytes > TREE_BYTES || depth(path) - depth(top) > TREE_DEPTH) return false
    const entry = entryOf(at, path, stats, kept)
    tree.set(path, entry)
    if (entry.kind !== 'folder') return true
    return inside(at, (folder) => namesIn(folder).every((name) => visit(join(folder, name), join(path, name)))) ?? true
  }
  return beside(top, (at) => visit(at, top)) === false ? undefined : tree
}

const RUNS = 'runs'

/** What we write there all the time is no command's doing, and not a command's to change. */
const isOurs = (path: string): boolean => basename(path) === RUNS && basename(dirname(path)) === '.troupe'

/** The folders in these protected ones in which we write all the time. */
export const ownFolders = (paths: readonly string[]): string[] =>
  paths.map((path) => join(path, RUNS)).filter((path) => isOurs(path) && lookAt(path)?.isDirectory())

export const sameEntry = (a: PathEntry | undefined, b: PathEntry | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** What stands at one path, without what is below it. */
export function entryAt(path: string, kept: string): PathEntry | undefined {
  return beside(path, (at) => {
    const stats = lookAt(at)
    return stats && entryOf(at, path, stats, kept)
  })
}

/** Makes entries stand, or be gone where they are undefined. A folder that holds something else stays. */
export function putEntries(entries: ReadonlyMap<string, PathEntry | undefined>, kept: string): void {
  const paths = [...entries.keys()].sort((a, b) => depth(a) - depth(b))
  for (const path of paths.toReversed()) clear(path, entries.get(path))
  for (const path of paths) put(path, entries.get(path), kept)
}

/**
 * Makes the files at and below a path files of their own: one that has a second name could be written under that name,
 * whatever is mounted at the first. Returns whether there was one.
 */
export function parted(top: string): boolean {
  let left = TREE_ENTRIES
  const visit = (at: string): boolean => {
    left -= 1
    if (left < 0) return false
    const below = inside(at, (folder) => namesIn(folder).map((name) => visit(join(folder, name)))) ?? []
    return part(at) || below.includes(true)
  }
  return beside(top, visit) ?? false
}

function part(at: string): boolean {
  const stats = lookAt(at)
  if (!stats?.isFile() || stats.nlink === 1) return false
  const bytes = stats.size > TREE_BYTES ? undefined : bytesOf(at)
  if (bytes === undefined) return false
  const made = join(dirname(at), `.${hex(8)}.tmp`)
  writeNew(made, bytes, stats.mode & 0o777)
  renameSync(made, at)
  return true
}

/** Moves what stands at a path somewhere else on the same file system. */
export const moveAway = (path: string, to: string): boolean =>
  beside(path, (at) => {
    try {
      renameSync(at, to)
      return true
    } catch {
      return false
    }
  }) ?? false

export const keptBytes = (digest: string, kept: string): Buffer => readFileSync(join(kept, digest))

/** Which folder holds the path, and what stands there: both stay the same when a folder further up is renamed. */
export function identityOf(path: string): string | undefined {
  const [holder, itself] = [lookAt(dirname(path)), lookAt(path)]
  return holder && itself && `${holder.dev}:${holder.ino}/${itself.ino}/${basename(path)}`
}

export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const digests = new Map<string, { stamp: string; digest: string }>()
const DIGESTS = 20_000

function entryOf(at: string, path: string, stats: Stats, kept: string): PathEntry {
  if (stats.isDirectory()) return { kind: 'folder' }
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(at) }
  if (!stats.isFile()) return { kind: 'other' }
  const stamp = stampOfStats(stats)
  const known = digests.get(path)
  const mode = stats.mode & 0o777
  if (known?.stamp === stamp && existsSync(join(kept, known.digest)))
    return { kind: 'file', mode, digest: known.digest }
  const bytes = bytesOf(at)
  if (bytes === undefined) return { kind: 'other' }
  const digest = sha256(bytes)
  if (!existsSync(join(kept, digest))) keep(join(kept, digest), bytes)
  if (isSettled(stats)) digests.set(path, { stamp, digest })
  if (digests.size > DIGESTS) digests.delete(digests.keys().next().value ?? path)
  return { kind: 'file', mode, digest }
}

/** By a rename, so that a crash leaves no half of it under this name. */
function keep(file: string, bytes: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.tmp`, bytes, { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

function bytesOf(at: string): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, TREE_BYTES))
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Takes away what is in the way of the entry. */
function clear(path: string, wanted: PathEntry | undefined): void {
  beside(path, (at) => {
    const stats = lookAt(at)
    if (stats === undefined || (wanted?.kind === 'folder' && stats.isDirectory())) return
    try {
      if (stats.isDirectory()) rmdirSync(at)
      else if (wanted?.kind !== 'file') unlinkSync(at)
    } catch {
      // The folder holds something that may stay.
    }
  })
}

function put(path: string, entry: PathEntry | undefined, kept: string): void {
  if (entry === undefined || entry.kind === 'other') return
  beside(path, (at) => {
    const stats = lookAt(at)
    if (entry.kind === 'folder') {
      if (stats === undefined) mkdirSync(at)
      return
    }
    if (stats?.isDirectory()) return
    const made = join(dirname(at), `.${hex(8)}.tmp`)
    if (entry.kind === 'link') symlinkSync(entry.target, made)
    else writeNew(made, keptBytes(entry.digest, kept), entry.mode)
    renameSync(made, at)
  })
}

function writeNew(at: string, bytes: Buffer, mode: number): void {
  const fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    writeFileSync(fd, bytes)
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

/** Does something with a name in its folder, which is reached without following any link. Undefined when it is not there. */
function beside<T>(path: string, act: (at: string) => T): T | undefined {
  const names = dirname(path).split(sep).filter(Boolean)
  const enter = (folder: string, left: readonly string[]): T | undefined => {
    const [name, ...rest] = left
    if (name === undefined) return act(join(folder, basename(path)))
    return inside(join(folder, name), (next) => enter(next, rest))
  }
  return inside('/', (root) => enter(root, names))
}

function inside<T>(at: string, act: (folder: string) => T): T | undefined {
  let fd: number
  try {
    fd = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch {
    return undefined
  }
  try {
    return act(`/proc/self/fd/${fd}`)
  } finally {
    closeSync(fd)
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

const depth = (path: string): number => path.split(sep).length
