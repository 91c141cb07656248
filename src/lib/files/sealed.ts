import { createHash, randomBytes } from 'node:crypto'
import { constants, type Dirent, opendirSync } from 'node:fs'
import { chmod, copyFile, lstat, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, statOf } from './files.ts'
import { PathError } from './paths.ts'

/** Files that are not to change any more: which there are, and what is in them. */

interface SealedFile {
  /** Below the folder. */
  readonly path: string
  readonly size: number
  readonly sha256: string
}

interface Below {
  readonly paths: readonly string[]
  /** Beginnings of writes that a crash cut off, which are none of the files. */
  readonly left: readonly string[]
  /** What more there is, in words; it is in none of the paths. */
  readonly cut: string | undefined
}

interface Bounds {
  readonly files: number
  readonly bytes?: number
}

/** What a write of ours left that a crash cut off. */
const LEFT = /^\.[0-9a-f]{16}\.tmp$/

/** So many entries are looked at for each file that is wanted: folders and links are none, and cost as much. */
const LOOKED_AT = 20

/** The ordinary files below a folder, by name. What is reached only through a link is none of them. */
export function filesBelow(folder: string, { files, bytes = Number.POSITIVE_INFINITY }: Bounds): Below {
  const paths: string[] = []
  const left: string[] = []
  const most = files * LOOKED_AT
  let cut: string | undefined
  let looked = 0
  let size = 0
  const visit = (below: string): void => {
    const entries = entriesOf(join(folder, below), most - looked + 1)
    if (entries === undefined) cut ??= `something that cannot be read: ${JSON.stringify(below.slice(-200))}`
    for (const entry of entries ?? []) {
      looked += 1
      if (looked > most) cut ??= `more than ${most} files and folders`
      if (looked > most) return
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile() && LEFT.test(entry.name)) left.push(path)
      else if (entry.isFile()) add(path)
    }
  }
  const add = (path: string): void => {
    const stats = statOf(join(folder, path))
    if (stats === undefined) cut ??= `something that cannot be read: ${JSON.stringify(path.slice(-200))}`
    else if (paths.length >= files) cut ??= `more than ${files} files`
    else if (size + stats.size > bytes) cut ??= `more than ${bytes} bytes`
    else {
      paths.push(path)
      size += stats.size
    }
  }
  visit('')
  return { paths, left, cut }
}

/** Undefined where the folder cannot be read: its name is no text, its path too long, or it is closed to us. */
function entriesOf(folder: string, most: number): Dirent[] | undefined {
  try {
    const open = opendirSync(folder)
    try {
      const entries: Dirent[] = []
      for (let entry = open.readSync(); entry !== null && entries.length < most; entry = open.readSync())
        entries.push(entry)
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    } finally {
      open.closeSync()
    }
  } catch {
    return undefined
  }
}

/** Makes the files of a folder read-only and says what is in them. */
export async function sealFiles(folder: string, paths: readonly string[]): Promise<SealedFile[]> {
  const sealed: SealedFile[] = []
  for (const path of paths) {
    const file = join(folder, path)
    await makeOwn(file)
    await chmod(file, 0o444)
    sealed.push({ path, ...(await sealOf(file)) })
  }
  return sealed
}

/** A file that has another name elsewhere could be changed there, and the other would be sealed with it. */
async function makeOwn(file: string): Promise<void> {
  if ((await lstat(file)).nlink === 1) return
  const copy = join(dirname(file), `.${randomBytes(8).toString('hex')}.tmp`)
  await copyFile(file, copy, constants.COPYFILE_EXCL).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EACCES') throw error
    await chmod(file, 0o600)
    await copyFile(file, copy, constants.COPYFILE_EXCL)
  })
  await rename(copy, file)
}

/** Size and digest of one ordinary file, whatever its size. */
async function sealOf(path: string): Promise<Omit<SealedFile, 'path'>> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new PathError('path.kind', `${path} is not an ordinary file.`)
    const hash = createHash('sha256')
    let size = 0
    const buffer = Buffer.alloc(1024 * 1024)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return { size, sha256: hash.digest('hex') }
      hash.update(buffer.subarray(0, bytesRead))
      size += bytesRead
    }
  } finally {
    await file.close()
  }
}
