import type { Command } from 'commander'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { usage } from '../failure.ts'
import { paint, say, tell } from '../print.ts'

export default function define(command: Command): void {
  const name = command.name() === 'resume' ? 'resume' : 'pause'
  command
    .argument('[session]', 'its handle')
    .option('--all', 'everything')
    .action(action((cli: Cli, ref: string | undefined, { all }: { all?: boolean }) => steer(cli, name, ref, all)))
}

async function steer(
  cli: Cli,
  name: 'pause' | 'resume',
  ref: string | undefined,
  all: boolean | undefined,
): Promise<void> {
  if ((ref === undefined) === !all) throw usage('Say what: a session, or --all.', `Use: ${troupe} ${name} --all`)
  const client = await connect(cli)
  if (ref !== undefined) {
    const session = await client.call(`POST /api/sessions/{ref}/${name}`, { params: { ref } })
    return tell(cli, session, ({ agent, handle, status }) =>
      say(`${paint('green', '✓')} ${agent} ${handle} is ${status}.`),
    )
  }
  tell(cli, await client.call(`POST /api/${name}`), () =>
    say(
      name === 'pause'
        ? `${paint('green', '✓')} Everything is paused: what runs stops at its next safe point. Go on with "${troupe} resume --all".`
        : `${paint('green', '✓')} Everything goes on, but for what was paused by itself.`,
    ),
  )
}
