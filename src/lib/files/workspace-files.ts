import { existsSync } from 'node:fs'
import { constants, type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { hex } from '../ids.ts'
import { codeOf } from './files.ts'
import { fileError, outside, PathError, resolveInside } from './paths.ts'

/**
 * Reads and writes below a root. A link that is swapped in between check and use reaches nothing outside: every folder
 * on the way is opened without following links, and names are looked up in the opened folder.
 */

interface OpenFile {
  readonly handle: FileHandle
  readonly real: string
  readonly size: number
}

interface OpenFolder {
  readonly handle: FileHandle
  readonly real: string
  /** Leads to this very folder, even when another has its name by now. */
  readonly path: string
}

/** The check of a path. Files may change right after it; a test makes them do so. */
type Resolve = typeof resolveInside

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

// Linux looks names up in an opened folder this way; elsewhere the real path is compared again after opening.
const byDescriptor = existsSync('/proc/self/fd')

/** Opens an ordinary file only: no folder, pipe, socket or device. The caller closes the handle. */
async function openInside(root: string, path: string, resolve: Resolve = resolveInside): Promise<OpenFile> {
  const real = await resolve(root, path)
  await using folder = await parentOf(root, real, path, false)
  const at = join(folder.path, basename(real))
  let handle: FileHandle | undefined
  try {
    if (!(await lstat(at)).isFile()) await refuseKind(at, path)
    handle = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stats = await handle.stat()
    if (!stats.isFile()) await refuseKind(at, path)
    await compareAgain(real, path)
    return { handle, real, size: stats.size }
  } catch (error) {
    await handle?.close()
    throw fileError(error, path)
  }
}

/** The caller closes the handle. */
export async function openFolderInside(
  root: string,
  path: string,
  resolve: Resolve = resolveInside,
): Promise<OpenFolder> {
  const real = await resolve(root, path)
  return await openFolder(root, real, path, false)
}

/** `writeInside` for what can be made again: it does not wait for the disk. */
export const rewriteInside = (root: string, path: string, content: string): Promise<string> =>
  writeInside(root, path, content, resolveInside, { durable: false })

/** Makes a folder with those above it. Returns its real path. */
export async function makeFolderInside(root: string, path: string): Promise<string> {
  const real = await resolveInside(root, path)
  const { handle } = await openFolder(root, real, path, true)
  await handle.close()
  return real
}

/** Reads the whole file; a file of more than `limit` bytes is refused. */
export async function readInside(
  root: string,
  path: string,
  limit: number,
  resolve?: Resolve,
): Promise<{ real: string; bytes: Buffer }> {
  const { handle, real, size } = await openInside(root, path, resolve)
  try {
    if (size > limit) throw tooBig(path, size, limit)
    const chunks: Buffer[] = []
    let length = 0
    // The size alone is no guard: the file may grow meanwhile, or report a size that is not true.
    while (length <= limit) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.max(size + 1 - length, 65_536)), 0)
      if (bytesRead === 0) return { real, bytes: Buffer.concat(chunks) }
      chunks.push(buffer.subarray(0, bytesRead))
      length += bytesRead
    }
    throw tooBig(path, length, limit)
  } finally {
    await handle.close()
  }
}

/** Adds to the end of a file, which is made where it is missing; a file that would grow beyond the limit is left alone. */
export async function appendInside(root: string, path: string, text: string, limit: number): Promise<boolean> {
  const real = await resolveInside(root, path)
  await using folder = await parentOf(root, real, path, true)
  try {
    const handle = await open(join(folder.path, basename(real)), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o644)
    try {
      const stats = await handle.stat()
      if (!stats.isFile() || stats.nlink > 1 || stats.size + Buffer.byteLength(text) > limit) return false
      await handle.writeFile(text)
      return true
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw fileError(error, path)
  }
}

/**
 * Writes the whole file or nothing, makes missing folders and keeps the mode of an old file. Returns the real path.
 */
export async function writeInside(
  root: string,
  path: string,
  content: string | Uint8Array,
  resolve: Resolve = resolveInside,
  { durable = true } = {},
): Promise<string> {
  const real = await resolve(root, path)
  await using folder = await parentOf(root, real, path, true)
  const at = join(folder.path, basename(real))
  const temporary = join(folder.path, `.${hex(8)}.tmp`)
  try {
    const mode = await modeToKeep(at, path)
    const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      await handle.writeFile(content)
      await handle.chmod(mode)
      if (durable) await handle.sync()
    } finally {
      await handle.close()
    }
    await compareAgain(folder.real, path)
    await rename(temporary, at)
    return real
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw fileError(error, path)
  }
}

async function parentOf(
  root: string,
  real: string,
  path: string,
  make: boolean,
): Promise<OpenFolder & AsyncDisposable> {
  if (real === root) throw new PathError('path.kind', `${JSON.stringify(path)} is a folder, not a file.`)
  const folder = await openFolder(root, dirname(real), path, make)
  return { ...folder, [Symbol.asyncDispose]: () => folder.handle.close() }
}

async function openFolder(root: string, real: string, path: string, make: boolean): Promise<OpenFolder> {
  const names = relative(root, real).split(sep).filter(Boolean)
  let handle = await open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  let reached = root
  try {
    if (byDescriptor && (await readlink(pathOf(handle, root))) !== root) throw outside(path)
    for (const name of names) {
      const at = join(pathOf(handle, reached), name)
      const next = await openOrMake(at, make)
      await handle.close()
      handle = next
      reached = join(reached, name)
    }
    await compareAgain(reached, path)
    return { handle, real: reached, path: pathOf(handle, reached) }
  } catch (error) {
    await handle.close()
    throw fileError(error, path)
  }
}

async function openOrMake(at: string, make: boolean): Promise<FileHandle> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
  try {
    return await open(at, flags)
  } catch (error) {
    if (!make || codeOf(error) !== 'ENOENT') throw error
  }
  await mkdir(at, { mode: 0o755 }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  return await open(at, flags)
}

const pathOf = (handle: FileHandle, real: string): string => (byDescriptor ? `/proc/self/fd/${handle.fd}` : real)

async function compareAgain(real: string, path: string): Promise<void> {
  if (!byDescriptor && (await realpath(real)) !== real) throw outside(path)
}

async function modeToKeep(at: string, path: string): Promise<number> {
  const stats = await lstat(at).catch((error) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats === undefined) return 0o644
  if (!stats.isFile()) await refuseKind(at, path)
  if (stats.nlink > 1)
    throw new PathError(
      'path.outside',
      `${JSON.stringify(path)} has ${stats.nlink} names (hard links), so writing it could change a file elsewhere.`,
      'Write under another name.',
    )
  return stats.mode & 0o777
}

async function refuseKind(at: string, path: string): Promise<never> {
  const stats = await lstat(at)
  const named = JSON.stringify(path)
  if (stats.isDirectory())
    throw new PathError('path.kind', `${named} is a folder, not a file.`, 'list_dir shows what is in it.')
  if (stats.isSymbolicLink()) throw outside(path)
  throw new PathError('path.kind', `${named} is not an ordinary file (a pipe, socket or device).`)
}

const tooBig = (path: string, size: number, limit: number): PathError =>
  new PathError(
    'path.kind',
    `${JSON.stringify(path)} has ${size} bytes, more than the limit of ${limit}.`,
    'Take the part you need with a shell command.',
  )
