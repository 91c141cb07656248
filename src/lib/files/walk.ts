import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/**
 * Walks folders below a root without following links, and leaves out what .gitignore files name. It belongs in the
 * search worker, not in the server's own thread: it blocks, and a hostile .gitignore can make it slow.
 */

export interface WalkResult {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Opens the file in the folder where it was found, wherever that folder's name leads by now. */
  open(): number
  /** Of the entry itself, in the same folder; undefined when it is gone by now. */
  stat(): Stats | undefined
}

interface WalkOptions {
  /** A folder below the root, as names; the walk begins there. */
  readonly from: readonly string[]
  readonly includeIgnored: boolean
  /** Only what is directly in the folder. */
  readonly shallow?: boolean
  /** Folders that are never entered nor shown, relative to the root. */
  readonly hidden: readonly string[]
  onIgnored?(): void
}

interface Rules {
  /** Where the .gitignore lies, relative to the root; '' or ending in a slash. */
  readonly base: string
  readonly rules: Ignore
}

const DEPTH_LIMIT = 100
const IGNORE_BYTES = 256 * 1024
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const byDescriptor = existsSync('/proc/self/fd')

interface Folder {
  readonly fd: number
  readonly path: string
}

export function* walk(root: string, options: WalkOptions): Generator<WalkResult> {
  let folder: Folder = { fd: openSync(root, folderFlags), path: root }
  let rules: Rules[] = []
  let base = ''
  try {
    for (const name of options.from) {
      rules = [...rules, ...readRules(folder, base)]
      const next = openIn(folder, name, folderFlags)
      closeSync(folder.fd)
      folder = { fd: next, path: join(folder.path, name) }
      base = `${base}${name}/`
    }
    // An ignored folder that was asked for by name is shown, so the rules that would hide all of it are dropped.
    if (base !== '' && isIgnored(rules, base)) rules = []
    yield* visit(folder, base, rules, 0)
  } finally {
    closeSync(folder.fd)
  }

  function* visit(here: Folder, prefix: string, above: readonly Rules[], depth: number): Generator<WalkResult> {
    const known = options.includeIgnored ? [] : [...above, ...readRules(here, prefix)]
    for (const { entry, name } of entriesOf(here)) {
      const kind = kindOf(entry)
      const path = prefix + name
      if (name === '.git' || options.hidden.includes(path)) continue
      if (isIgnored(known, kind === 'folder' ? `${path}/` : path)) {
        options.onIgnored?.()
        continue
      }
      yield { path, kind, open: () => openIn(here, entry.name, fileFlags), stat: () => statIn(here, entry.name) }
      if (kind === 'folder' && !options.shallow && depth < DEPTH_LIMIT)
        yield* enter(here, entry.name, path, known, depth)
    }
  }

  function* enter(
    here: Folder,
    name: Buffer,
    path: string,
    known: readonly Rules[],
    depth: number,
  ): Generator<WalkResult> {
    const fd = tryOpen(here, name)
    if (fd === undefined) return
    try {
      yield* visit({ fd, path: join(here.path, String(name)) }, `${path}/`, known, depth + 1)
    } finally {
      closeSync(fd)
    }
  }
}

/** At most `limit` bytes of an ordinary file; undefined for anything else. Closes the descriptor. */
export function readDescriptor(fd: number, limit: number): Buffer | undefined {
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, limit))
    let length = 0
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}

/** A name is bytes: not every one is text. */
const openIn = (folder: Folder, name: string | Buffer, flags: number): number => openSync(pathIn(folder, name), flags)

const statIn = (folder: Folder, name: Buffer): Stats | undefined =>
  lstatSync(pathIn(folder, name), { throwIfNoEntry: false })

const pathIn = (folder: Folder, name: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${placeOf(folder)}/`), Buffer.from(name)])

const placeOf = ({ fd, path }: Folder): string => (byDescriptor ? `/proc/self/fd/${fd}` : path)

function tryOpen(folder: Folder, name: Buffer): number | undefined {
  try {
    return openIn(folder, name, folderFlags)
  } catch {
    return undefined
  }
}

function entriesOf(folder: Folder): { entry: Dirent<Buffer>; name: string }[] {
  try {
    const entries = readdirSync(placeOf(folder), { withFileTypes: true, encoding: 'buffer' })
    const named = entries.map((entry) => ({ entry, name: entry.name.toString('utf8') }))
    return named.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

function kindOf(entry: Dirent<Buffer>): WalkResult['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function readRules(folder: Folder, base: string): Rules[] {
  try {
    const text = readDescriptor(openIn(folder, '.gitignore', fileFlags), IGNORE_BYTES)?.toString('utf8')
    return text ? [{ base, rules: ignore({ allowRelativePaths: true }).add(text) }] : []
  } catch {
    return []
  }
}

/** The innermost .gitignore with a rule for the path decides. */
function isIgnored(all: readonly Rules[], path: string): boolean {
  for (const { base, rules } of all.toReversed()) {
    const verdict = rules.test(path.slice(base.length))
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}
