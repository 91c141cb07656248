import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary folder that whoever asked for it removes. */
export const newFolder = (parent = tmpdir()): string => realpathSync(mkdtempSync(join(parent, 'troupe-')))

/** A folder of the test's own, gone after it; with `afterAll` the folder of a whole file. */
export function makeFolder(atEnd: (remove: () => void) => void = onTestFinished, parent?: string): string {
  const folder = newFolder(parent)
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Writes a file and the folders above it, and gives its path: text and bytes as they are, anything else as JSON. */
export function putFile(path: string, content: unknown): string {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, isRaw ? content : JSON.stringify(content))
  return path
}
