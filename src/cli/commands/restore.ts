import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { listFolder, statOf } from '../../lib/files/files.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { exits, Failure } from '../failure.ts'
import { paint, say, tell } from '../print.ts'
import { atTerminal, confirmed } from '../questions.ts'
import { findServer } from '../server.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command
    .argument('[file]', 'a backup; without it they are listed')
    .option('--yes', 'do not ask')
    .action(action(restore))
}

async function restore(cli: Cli, file: string | undefined, { yes = false }: { yes?: boolean }): Promise<void> {
  if (file === undefined) return list(cli)
  const running = await findServer(cli.home)
  if (running) {
    throw new Failure(exits.failed, `The server (pid ${running.pid}) uses the data; nothing was changed.`, {
      code: 'store.locked',
      hint: `Stop it with "${troupe} down" first.`,
    })
  }
  if (!yes && !(await agreed(file))) return
  // It takes the place of a server: nobody else may use the data folder meanwhile.
  const { restoreBackup } = await import('../../app.ts')
  const done = await restoreBackup({ home: cli.home, project: cli.project, env: cli.env, file: resolve(file) })
  tell(cli, done, ({ kept }) => {
    say(`${paint('green', '✓')} The data is what it was in ${file}.`)
    if (kept) say(paint('dim', `What was there before is in ${kept}.`))
  })
}

async function agreed(file: string): Promise<boolean> {
  if (atTerminal()) return (await confirmed(`Put ${file} in place of the data? A copy of it is kept.`, false)) === true
  throw new Failure(exits.usage, 'Nobody can be asked here whether the data is to be replaced.', {
    code: 'cli.usage',
    hint: 'Add --yes.',
  })
}

function list(cli: Cli): void {
  const folder = join(cli.home, 'backups')
  const items = listFolder(folder).flatMap(({ name, folder: isFolder }) => {
    const stats = name.endsWith('.db') && !isFolder ? statOf(join(folder, name)) : undefined
    return stats ? [{ file: join(folder, name), bytes: stats.size, at: stats.mtime.toISOString() }] : []
  })
  tell(cli, { items }, () => {
    const rows = items.map(({ file, bytes, at }) => ({ made: at, size: `${(bytes / 1e6).toFixed(1)} MB`, file }))
    table(rows, `There are no backups; "${troupe} backup" makes one.`)
  })
}
