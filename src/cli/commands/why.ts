import type { Command } from 'commander'
import { asCalled } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { say, tell } from '../print.ts'
import { runMeant } from '../runs/ref.ts'

export default function define(command: Command): void {
  command
    .argument(
      '<ref>',
      'a session, or the id of a call, task, mail, inbox item, trigger, run or node; "latest" is the newest run',
    )
    .action(action(why))
}

async function why(cli: Cli, given: string): Promise<void> {
  const client = await connect(cli)
  const ref = isItemOfRun(given) ? given : ((await runMeant(client, given))?.id ?? given)
  const answer = await client.call('GET /api/why/{ref}', { params: { ref } })
  tell(cli, answer, ({ text }) => say(asCalled(text)))
}

/** The id of an inbox item as the list shows it may begin with its run's. */
const isItemOfRun = (ref: string): boolean => /^run_[0-9a-f]+_/.test(ref)
