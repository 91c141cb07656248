import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { realPath } from '../../lib/files/files.ts'
import { LockHeld, withSharedLock } from '../../lib/files/shared-lock.ts'
import type { Scope } from './scopes.ts'

const LOCK = '.lock'

/** One writer at a time in a folder of memory, also when several processes work in it. */
export async function inTurn<T>({ base, top }: Scope, work: () => Promise<T>): Promise<T> {
  const folder = join(base, top)
  const above = join(folder, '..')
  if (realPath(folder) !== folder || realPath(above) !== above)
    throw new AppError('memory.path', `${folder} is reached by a link, so nothing was written.`, {
      hint: 'Put the folder itself there.',
    })
  mkdirSync(folder, { recursive: true })
  try {
    return await withSharedLock(join(folder, LOCK), work)
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
    throw new AppError(
      'memory.busy',
      `Another process has been writing to ${folder} for too long; nothing was written.`,
      {
        hint: 'Try again.',
        cause: error,
      },
    )
  }
}
