import { closeSync, constants, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { exclusively } from './exclusively.ts'

/** Another process held the lock for longer than anybody waits. */
export class LockHeld extends Error {}

const PATIENCE_MS = 10_000
const LOOK_MS = 10
const BUSY = 5

/**
 * Runs work one at a time among all processes of this machine that name the same lock file. The operating system holds
 * the lock, so a kill -9 frees it. Nobody else may open the file: closing it anywhere in this process would free the lock.
 */
export const withSharedLock = <T>(file: string, work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> =>
  exclusively(file, async () => {
    closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644))
    const connection = new DatabaseSync(file)
    try {
      await take(connection, file, performance.now() + patienceMs)
      return await work()
    } finally {
      connection.close()
    }
  })

async function take(connection: DatabaseSync, file: string, until: number): Promise<void> {
  connection.exec('pragma busy_timeout = 0')
  for (;;) {
    try {
      return connection.exec('begin exclusive')
    } catch (error) {
      if (!isHeld(error)) throw error
    }
    if (performance.now() > until) throw new LockHeld(`Another process holds ${file}.`)
    await delay(LOOK_MS)
  }
}

const isHeld = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === BUSY
