import { createHash } from 'node:crypto'
import { constants, readdirSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
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
  /** There are more. */
  readonly cut: boolean
}

/** What a write of ours left that a crash cut off. */
const LEFT = /^\.[0-9a-f]{16}\.tmp$/

/** The ordinary files below a folder, by name. What is reached only through a link is none of them. */
export function filesBelow(folder: string, limit: number): Below {
  const paths: string[] = []
  const visit = (below: string): boolean =>
    readdirSync(join(folder, below), { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .every((entry) => {
        const path = below === '' ? entry.name : `${below}/${entry.name}`
        if (entry.isDirectory()) return visit(path)
        if (!entry.isFile() || LEFT.test(entry.name)) return true
        if (paths.length >= limit) return false
        paths.push(path)
        return true
      })
  return { cut: !visit(''), paths }
}

/** Makes the files of a folder read-only and says what is in them. */
export async function sealFiles(folder: string, paths: readonly string[]): Promise<SealedFile[]> {
  const sealed: SealedFile[] = []
  for (const path of paths) {
    await chmod(join(folder, path), 0o444)
    sealed.push({ path, ...(await sealOf(join(folder, path))) })
  }
  return sealed
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
