import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of the test's own, gone after it. */
export function makeFolder(parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, 'troupe-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file and the folders above it, and gives its path: text and bytes as they are, anything else as JSON. */
export function putFile(path: string, content: unknown): string {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, isRaw ? content : JSON.stringify(content))
  return path
}
