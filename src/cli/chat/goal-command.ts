import type { Client } from '../../client/client.ts'
import type { Run } from '../../contract/runs.ts'
import { newId } from '../../lib/ids.ts'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { failureOf } from '../failure.ts'
import { complain } from '../print.ts'
import { followOnTerminal } from '../runs/live.ts'
import type { Command } from './command.ts'

/** Gives a goal to a team. The chat makes room for it, and comes back when the run has ended or the person leaves it. */
export const giveGoal = (client: Client, follow: (run: Run) => void): Command => ({
  name: 'run',
  does: 'give a goal to a team, and watch it at work',
  async run(goal) {
    if (!goal) return ['Say what is to be achieved: /run <goal>.', `What was started: ${troupe} runs`]
    const body = { goal, agent: 'coordinator', mode: 'finite' as const, clientId: newId('cli') }
    follow(await client.call('POST /api/runs', { body }))
    return []
  },
})

/** However the run came out, the chat goes on. */
export async function showRun(cli: Cli, client: Client, run: Run): Promise<void> {
  try {
    await followOnTerminal(cli, client, run)
  } catch (thrown) {
    const { message, hint } = failureOf(thrown)
    complain(message, hint)
  }
}
