import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../../contract/errors.ts'
import { translated } from './sqlite-faults.ts'

/** Lets one server use a data folder. The operating system holds the lock, so a kill -9 frees it. */
export function lockFolder(home: string, pid: number): { free(): void } {
  const pidFile = join(home, 'lock.pid')
  const lockFile = join(home, 'lock.db')
  // We make the file before SQLite does, so that the file and its journal are the owner's alone.
  closeSync(openSync(lockFile, 'a', 0o600))
  const connection = new DatabaseSync(lockFile)
  try {
    connection.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    connection.close()
    if (!isHeld(error)) throw translated(error, lockFile)
    const owner = ownerOf(pidFile)
    throw new AppError(
      'store.locked',
      `Another troupe server${owner ? ` (pid ${owner})` : ''} uses the data folder ${home}.`,
      {
        hint: 'Talk to that one, stop it with "troupe down", or choose another folder with TROUPE_HOME.',
        details: { pid: owner },
        cause: error,
      },
    )
  }
  try {
    writeFileSync(pidFile, String(pid), { mode: 0o600 })
  } catch (error) {
    connection.close()
    throw translated(error, pidFile)
  }
  return { free: () => connection.close() }
}

const BUSY = 5

const isHeld = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === BUSY

function ownerOf(pidFile: string): number | undefined {
  try {
    return Number(readFileSync(pidFile, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
