import { accessSync, appendFileSync, chmodSync, constants, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { isAlive, readServerFile } from '../server.ts'
import { ignoredLines } from './init-starter.ts'

/** One finding of the doctor. */
export interface Check {
  readonly what: string
  readonly state: 'ok' | 'note' | 'bad' | 'fixed'
  readonly found: string
  /** What to do about it. */
  readonly do?: string
}

const FIX = `Run "${troupe} doctor --fix".`

/** Findings about the folders. With `fix` they are repaired, and the finding says what was done. */
export const folderChecks = (cli: Cli, fix: boolean): Check[] => [
  dataFolder(cli, fix),
  ...serverFile(cli, fix),
  ...ignoredFiles(cli, fix),
]

function dataFolder(cli: Cli, fix: boolean): Check {
  const what = 'data folder'
  if (!existsSync(cli.home)) return { what, state: 'ok', found: `${cli.home} (made at the first start)` }
  try {
    accessSync(cli.home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const advice = 'Change its owner, or set TROUPE_HOME to a folder of yours.'
    return { what, state: 'bad', found: `${cli.home} cannot be written`, do: advice }
  }
  const open = openToOthers(cli.home)
  if (open.length === 0) return { what, state: 'ok', found: cli.home }
  const named = open.length === 1 ? open[0]! : `${open[0]} and ${open.length - 1} more`
  if (!fix)
    return { what, state: 'bad', found: `${named} can be read by others`, do: `${FIX} It takes their rights away.` }
  try {
    for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700)
  } catch (error) {
    return {
      what,
      state: 'bad',
      found: `${named} can be read by others`,
      do: `It could not be changed: ${(error as Error).message}`,
    }
  }
  return { what, state: 'fixed', found: `${named} could be read by others; now only by you` }
}

/** Protected even inside a folder that nobody else can enter: the folder may be copied, mounted or opened later. */
const secrets = ['token', 'settings.json', 'server.json', 'data.db', 'data.db-wal', 'data.db-shm']

function openToOthers(home: string): string[] {
  const paths = [home, ...secrets.map((name) => join(home, name))]
  return paths.filter((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0
  })
}

/** A server that was killed leaves its address behind. Commands are not misled by it, but people may be. */
function serverFile(cli: Cli, fix: boolean): Check[] {
  const left = readServerFile(cli.home)
  if (!left || isAlive(left.pid)) return []
  const found = `server.json names pid ${left.pid}, which is gone`
  if (!fix) return [{ what: 'server file', state: 'note', found, do: 'The next start replaces it.' }]
  rmSync(join(cli.home, 'server.json'), { force: true })
  return [{ what: 'server file', state: 'fixed', found: `${found}; removed` }]
}

/** Files of one person must not be committed by accident. */
function ignoredFiles(cli: Cli, fix: boolean): Check[] {
  const folder = join(cli.project, '.troupe')
  if (!existsSync(folder)) return []
  const file = join(folder, '.gitignore')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lines = text.split('\n').map((line) => line.trim())
  const missing = ignoredLines.filter((line) => !lines.includes(line) && !lines.includes(line.replace(/\/$/, '')))
  if (missing.length === 0) return [{ what: 'gitignore', state: 'ok', found: '.troupe/.gitignore' }]
  const found = `.troupe/.gitignore lacks ${missing.join(', ')}`
  if (!fix) return [{ what: 'gitignore', state: 'note', found, do: FIX }]
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
  return [{ what: 'gitignore', state: 'fixed', found: `${found}; added` }]
}
