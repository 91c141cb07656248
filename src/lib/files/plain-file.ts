import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { realPath, sha256 } from './files.ts'

interface PlainFile {
  readonly text: string
  /** Of what was read. */
  readonly digest: string
  /** In bytes; more than the limit where only the beginning was read. */
  readonly size: number
}

/** An ordinary file to which no link leads, or its beginning; undefined for everything else. It blocks, for small files only. */
export function readPlain(path: string, limit: number): PlainFile | undefined {
  if (realPath(dirname(path)) !== dirname(path)) return undefined
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, limit))
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    const read = bytes.subarray(0, length)
    return { text: new TextDecoder().decode(read), digest: sha256(read), size: stats.size }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
