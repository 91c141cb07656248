import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { NotUnderstood } from './syntax.ts'
import type { Word } from './words.ts'

/** Where the next command may run: the folders after success, and after failure. */
export interface Folders {
  readonly ok: readonly string[]
  readonly failed: readonly string[]
}

const FOLDERS = 8

/** Follows `cd`. Through links bash and the system go different ways, so there it is not followed. */
export function changeFolder([, target, ...more]: readonly Word[], { ok }: Folders): Folders {
  if (target === undefined || !target.known || more.length > 0 || /^-/.test(target.text))
    throw new NotUnderstood('where cd leads is known only when it runs')
  const next = new Set(ok.map((folder) => resolve(folder, target.text)))
  for (const folder of next) if (realOf(folder) !== folder) throw new NotUnderstood('cd leads through a link')
  if (next.size + ok.length > FOLDERS) throw new NotUnderstood('it changes the folder too often')
  return { ok: [...next], failed: ok }
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    const parent = resolve(folder, '..')
    return parent === folder ? folder : resolve(realOf(parent), folder.slice(parent === '/' ? 1 : parent.length + 1))
  }
}
