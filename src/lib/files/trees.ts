import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, isSettled, stampOfStats } from './files.ts'

const MAX_FILES = 5000
const MAX_FILE_BYTES = 16 * 1024 * 1024
const KEPT = 20_000

const digests = new Map<string, { stamp: string; digest: string }>()

interface TreeDigest {
  readonly digest: string
  /** The tree is too big or cannot be read, so the digest does not speak for all of it. */
  readonly problem?: string
}

/** A digest over the names and contents of everything under a folder, following links. Undefined without the folder. */
export function digestTree(root: string): TreeDigest | undefined {
  if (!statSync(root, { throwIfNoEntry: false })) return undefined
  const hash = createHash('sha256')
  const seen = new Set<string>()
  let files = 0

  const visit = (path: string, name: string): string | undefined => {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (stats.isDirectory()) return visitFolder(path, name, stats)
    files += 1
    if (files > MAX_FILES) return `has more than ${MAX_FILES} files`
    if (stats.size > MAX_FILE_BYTES) return `has a file of more than ${MAX_FILE_BYTES / 1024 / 1024} MB (${name})`
    hash.update(`${name}\0${stats.isFile() ? digestOf(path, stats) : 'special'}\0`)
    return undefined
  }

  const visitFolder = (path: string, name: string, stats: Stats): string | undefined => {
    const identity = `${stats.dev}:${stats.ino}`
    if (seen.has(identity)) return undefined
    seen.add(identity)
    for (const entry of readdirSync(path).sort()) {
      const problem = visit(join(path, entry), name === '' ? entry : `${name}/${entry}`)
      if (problem) return problem
    }
    return undefined
  }

  try {
    const problem = visit(root, '')
    return { digest: hash.digest('hex'), ...(problem && { problem }) }
  } catch (error) {
    return { digest: '', problem: `cannot be read (${codeOf(error)})` }
  }
}

function digestOf(path: string, stats: Stats): string {
  const stamp = stampOfStats(stats)
  const known = digests.get(path)
  if (known?.stamp === stamp) return known.digest
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (isSettled(stats)) {
    digests.set(path, { stamp, digest })
    if (digests.size > KEPT) digests.delete(digests.keys().next().value ?? path)
  }
  return digest
}
