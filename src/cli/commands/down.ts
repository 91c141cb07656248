import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { systemClock } from '../../lib/clock.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure } from '../failure.ts'
import { say, tell } from '../print.ts'
import { findServer, isAlive } from '../server.ts'

const STOP_MS = 15_000

export function define(command: Command): void {
  command.action(action(down))
}

async function down(cli: Cli): Promise<void> {
  const server = await findServer(cli.home)
  if (!server) {
    tell(cli, { stopped: false }, () => say('No server runs.'))
    return
  }
  const client = await connect({ ...cli, start: false, env: {} })
  await client.call('POST /api/shutdown')
  const giveUpAt = systemClock.now() + STOP_MS
  while (isAlive(server.pid)) {
    if (systemClock.now() > giveUpAt) {
      throw new Failure(exits.failed, `The server (pid ${server.pid}) was told to stop and still runs.`, {
        code: 'cli.still_running',
        hint: `End it with "kill ${server.pid}"; nothing that was accepted is lost.`,
      })
    }
    await pause(50)
  }
  tell(cli, { stopped: true, pid: server.pid }, ({ pid }) => {
    say(`Stopped (pid ${pid}). Unfinished work goes on at the next start.`)
  })
}
