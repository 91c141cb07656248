import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { iso } from '../../lib/clock.ts'
import { listFolder } from '../../lib/files/files.ts'
import { lock } from '../../lib/lock.ts'
import type { Core } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'

const UNDONE = '.part'
const oneAtATime = lock()

/** A whole copy of the database, made while it is in use. Of these, the newest `storage.backups` are kept. */
export const makeBackup = (core: Core): Promise<{ file: string; bytes: number }> => oneAtATime(() => copyAndPrune(core))

async function copyAndPrune(core: Core): Promise<{ file: string; bytes: number }> {
  const { backup } = core.store
  if (backup === undefined) {
    throw new AppError('backup.failed', 'The store is PostgreSQL, which has its own backups.', {
      hint: 'Use pg_dump on the database that TROUPE_DATABASE_URL names.',
    })
  }
  const folder = join(core.home, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `data-${iso(core.clock.now()).replaceAll(/[:.]/g, '-')}.db`
  const file = join(folder, name)
  await backup(`${file}${UNDONE}`)
  // The copy gets its name once it is whole: one that was cut off must not push out a good one.
  renameSync(`${file}${UNDONE}`, file)
  const { settings } = await effectiveSettings(core, core.project)
  for (const old of outdated(folder, settings.storage.backups)) rmSync(join(folder, old), { force: true })
  return { file, bytes: statSync(file).size }
}

/** The names of backups sort by time. A file that a person put there under another name stays. */
function outdated(folder: string, keep: number): string[] {
  const ours = listFolder(folder).flatMap(({ name }) => (/^data-[\dTZ-]+\.db(\.part)?$/.test(name) ? [name] : []))
  const whole = ours.filter((name) => !name.endsWith(UNDONE)).sort()
  return [...ours.filter((name) => name.endsWith(UNDONE)), ...whole.slice(0, -keep)]
}
