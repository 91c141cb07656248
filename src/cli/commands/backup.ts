import type { Command } from 'commander'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { paint, say, tell } from '../print.ts'

export default function define(command: Command): void {
  command.action(action(backup))
}

const BACKUP_MS = 10 * 60_000

async function backup(cli: Cli): Promise<void> {
  const client = await connect(cli)
  const made = await client.call('POST /api/backup', { timeoutMs: BACKUP_MS })
  tell(cli, made, ({ file }) => {
    say(`${paint('green', '✓')} ${file}`)
    say(
      paint(
        'dim',
        `A whole copy of the data as it was at this moment; to go back: ${troupe} down, then ${troupe} restore <file>.`,
      ),
    )
  })
}
