import {
  appendFileSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { protectedNames } from '../files/paths.ts'
import type { Box } from './box.ts'

/**
 * A command could make a protected file that does not exist yet, and the file would act later. A mount needs something
 * to lie on, so empty placeholders take the protected names while a command runs. The last command removes them; a
 * record lets the next start remove those that a crash left.
 */

const inUse = new Map<string, number>()

export function holdPlaces(box: Box): { paths: string[]; release(): void } {
  const wanted = [
    ...protectedNames.folders.map((name) => ({ path: join(box.workspace, name), folder: true })),
    ...protectedNames.files.map((name) => ({ path: join(box.workspace, name), folder: false })),
  ].filter(({ path }) => !(box.repository && path.endsWith('/.git')))
  const paths = wanted.flatMap(({ path, folder }) => (hold(path, folder, box.record) ? [path] : []))
  let held = true
  return {
    paths,
    release() {
      if (held) for (const path of paths) letGo(path)
      held = false
    },
  }
}

/** Removes what an earlier server left behind. */
export function sweepPlaces(record: string): void {
  try {
    for (const path of new Set(readFileSync(record, 'utf8').split('\n'))) if (path !== '') remove(path)
  } catch {
    // There is no record: nothing was left.
  }
  writeFileSync(record, '', { mode: 0o600 })
}

function hold(path: string, folder: boolean, record: string): boolean {
  const users = inUse.get(path) ?? 0
  if (users === 0) {
    if (isThere(path)) return false
    appendFileSync(record, `${path}\n`, { mode: 0o600 })
    if (!make(path, folder)) return false
  }
  inUse.set(path, users + 1)
  return true
}

function letGo(path: string): void {
  const users = (inUse.get(path) ?? 1) - 1
  if (users > 0) inUse.set(path, users)
  else {
    inUse.delete(path)
    remove(path)
  }
}

function make(path: string, folder: boolean): boolean {
  try {
    if (folder) mkdirSync(path)
    else closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch {
    return existsSync(path)
  }
}

/** Removes a placeholder only when it is still as empty as we made it. */
function remove(path: string): void {
  try {
    const stats = lstatSync(path)
    if (stats.isDirectory()) rmdirSync(path)
    else if (stats.isFile() && stats.size === 0) unlinkSync(path)
  } catch {
    // Somebody put something there, or took it away.
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
