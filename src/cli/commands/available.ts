import type { Command } from 'commander'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { tell } from '../print.ts'
import { sayPresence } from './away.ts'

export default function define(command: Command): void {
  command.action(action(available))
}

async function available(cli: Cli): Promise<void> {
  const client = await connect(cli)
  tell(cli, await client.call('POST /api/presence', { body: { status: 'available' } }), sayPresence)
}
