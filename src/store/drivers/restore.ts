import { chmodSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup as copyOf, DatabaseSync } from 'node:sqlite'
import { AppError } from '../../contract/errors.ts'
import { statOf } from '../../lib/files/files.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { refuseNewer } from '../migrations/index.ts'
import { forgetLife } from './sqlite.ts'

/**
 * Puts a backup in place of the database. The caller holds the data folder's lock. What was there is kept under the name
 * that is returned; until the last step it also stays where it is, so that a kill leaves the one or the other.
 */
export async function restoreDatabase(file: string, from: string, stamp: string): Promise<{ kept?: string }> {
  const source = openBackup(file, from)
  const fresh = `${file}.restored.part`
  rmSync(fresh, { force: true })
  try {
    await copyOf(source, fresh)
  } finally {
    source.close()
  }
  chmodSync(fresh, 0o600)
  forgetLife(fresh)
  const kept = existsSync(file) ? await keepPresent(file, stamp) : undefined
  crashPoint('restore.kept')
  renameSync(fresh, file)
  crashPoint('restore.placed')
  return kept === undefined ? {} : { kept }
}

function openBackup(file: string, from: string): DatabaseSync {
  if (!statOf(from)?.isFile()) throw bad(`There is no file ${from}.`)
  if (existsSync(file) && realpathSync(from) === realpathSync(file)) throw bad(`${from} is the database itself.`)
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    const found = source.prepare('pragma integrity_check(1)').get()?.integrity_check
    if (found !== 'ok') throw bad(`${from} is damaged: ${String(found)}`)
    const names = source.prepare('select name from migrations order by id').all()
    refuseNewer(
      from,
      names.map(({ name }) => String(name)),
      'Use the troupe that made it, or a newer one.',
    )
    return source
  } catch (error) {
    source.close()
    if (error instanceof AppError) throw error
    throw bad(`${from} is no backup of troupe: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** A whole copy beside the other backups, whose names it does not share: the newest of those push out the oldest. */
async function keepPresent(file: string, stamp: string): Promise<string> {
  const kept = join(dirname(file), 'backups', `before-restore-${stamp}.db`)
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
  try {
    const present = new DatabaseSync(file)
    try {
      // Ends the log: another file under its name would otherwise be mixed with it.
      present.exec('pragma busy_timeout = 5000; pragma journal_mode = delete')
      await copyOf(present, kept)
    } finally {
      present.close()
    }
    chmodSync(kept, 0o600)
  } catch {
    keepBroken(file, kept)
  }
  return kept
}

/** A database that cannot be opened is kept byte by byte, with its log. */
function keepBroken(file: string, kept: string): void {
  rmSync(kept, { force: true })
  linkSync(file, kept)
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
  rmSync(`${file}-shm`, { force: true })
}

const bad = (message: string): AppError =>
  new AppError('backup.failed', message, {
    hint: '"troupe restore" without a file lists the backups; "troupe backup" makes one.',
  })
