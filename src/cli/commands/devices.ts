import type { Command } from 'commander'
import type { Device } from '../../contract/devices.ts'
import { systemClock } from '../../lib/clock.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure } from '../failure.ts'
import { ago, oneLine, paint, say, tell } from '../print.ts'
import { table } from '../table.ts'

export default function define(command: Command): void {
  command.command('list', { isDefault: true }).description('who holds a token').action(action(list))
  command
    .command('revoke')
    .argument('<device>', 'its id, or any unique beginning of it')
    .description('take its token away')
    .action(action(revoke))
}

async function list(cli: Cli): Promise<void> {
  const items = await (await connect(cli)).all('GET /api/devices')
  tell(cli, { items }, () => {
    const now = systemClock.now()
    const rows = items.map(({ id, name, createdAt }) => ({ id, name: oneLine(name), since: ago(createdAt, now) }))
    table(rows, 'No device holds a token; the one in your data folder is not counted.')
    if (items[0]) say(paint('dim', `\nTake one away with "${troupe} devices revoke ${items[0].id}".`))
  })
}

async function revoke(cli: Cli, given: string): Promise<void> {
  const client = await connect(cli)
  const found = (await client.all('GET /api/devices')).filter(
    ({ id }) => id.startsWith(given) || id.startsWith(`device_${given}`),
  )
  const [device] = found
  if (device === undefined || found.length > 1) throw notOne(given, found)
  await client.call('DELETE /api/devices/{id}', { params: { id: device.id } })
  tell(cli, { revoked: device }, () => say(`${paint('green', '✓')} ${oneLine(device.name)} is no longer served.`))
}

const notOne = (given: string, found: readonly Device[]): Failure =>
  found.length === 0
    ? new Failure(exits.failed, `No device begins with "${given}".`, {
        code: 'device.not_found',
        hint: `See which there are with "${troupe} devices".`,
      })
    : new Failure(exits.failed, `"${given}" could be ${found.map(({ id }) => id).join(', ')}.`, {
        code: 'device.ambiguous',
        hint: 'Type a few more characters of the one you mean.',
      })
