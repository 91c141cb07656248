import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { TrustPart, TrustState } from '../../contract/trust.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, failureOf } from '../failure.ts'
import { note, paint, say, sayJson } from '../print.ts'
import { warnAboutSettings } from '../problems.ts'
import { atTerminal, confirmed } from '../questions.ts'

export default function define(command: Command): void {
  command
    .option('--yes', 'trust what is shown, without asking')
    .option('--revoke', 'no longer trust this project')
    .action(action(trust))
}

async function trust(cli: Cli, options: { yes?: boolean; revoke?: boolean }): Promise<Exit> {
  const client = await connect(cli)
  const state = await client.call('GET /api/trust')
  if (options.revoke) {
    const revoked = await client.call('POST /api/trust', { body: { trusted: false } })
    if (cli.json) sayJson(revoked)
    else say(`${cli.project} is no longer trusted: its files may only tighten what agents may do.`)
    return exits.ok
  }
  if (!cli.json) describe(cli, state)
  // Where nothing acts yet, trust lets agents keep memory here; nobody has to be asked for it.
  const settled = state.trusted || (state.acting.length === 0 && !options.yes && !atTerminal())
  if (settled || !(await agreed(cli, options.yes ?? false))) {
    if (cli.json) sayJson(state)
    return settled ? exits.ok : exits.needsHuman
  }
  // The hash is of what was shown: if a file changed in between, the server refuses.
  const trusted = await client.call('POST /api/trust', { body: { trusted: true, hash: state.hash } })
  if (cli.json) sayJson(trusted)
  else say(`${paint('green', '✓')} Trusted. If one of these changes, you are asked again.`)
  return exits.ok
}

/**
 * Before a person talks: asks whether the project is trusted, once and again when the parts that act have changed, and
 * warns of settings that do not hold as written. What the person decided against is not told again.
 */
export async function settleTrust(cli: Cli, client: Client): Promise<void> {
  if (cli.acting) return
  const state = await client.call('GET /api/trust')
  const undecided = !state.trusted && !state.declined && state.acting.length > 0
  const declined = state.declined || (undecided && !cli.json && atTerminal() && (await declines(cli, client, state)))
  await warnAboutSettings(cli, client, ({ needs }) => !(declined && needs === 'trust'))
}

async function declines(cli: Cli, client: Client, state: TrustState): Promise<boolean> {
  describe(cli, state)
  const answer = await confirmed('Let them act? Until then they may only tighten what agents may do.', false)
  if (answer === undefined) return false
  try {
    await client.call('POST /api/trust', { body: { trusted: answer, hash: state.hash } })
    say(paint('dim', answer ? 'Trusted. If one of these changes, you are asked again.' : DECLINED))
  } catch (thrown) {
    const { message, hint } = failureOf(thrown)
    note(`${message}${hint ? ` ${hint}` : ''}`)
  }
  return !answer
}

const DECLINED = `They do not act. You are asked again when they change; "${troupe} trust" lets them.`

function describe(cli: Cli, state: TrustState): void {
  if (state.acting.length === 0)
    say(`${cli.project} has nothing that acts: no rules, providers, hooks, tools, servers or memory of its own.`)
  else say(`${cli.project} has parts that act on your machine${state.trusted ? ', and you trust them' : ''}:`)
  sayParts(state.acting)
  if (state.changed.length > 0) say(paint('yellow', 'Changed since you trusted it:'))
  sayParts(state.changed)
}

const SHOWN = 50

function sayParts(parts: readonly TrustPart[]): void {
  for (const part of parts.slice(0, SHOWN)) say(`  ${part.file}: ${part.what}`)
  if (parts.length > SHOWN) say(`  and ${parts.length - SHOWN} more: "${troupe} trust --json" lists all`)
}

async function agreed(cli: Cli, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (cli.json) return false
  if (!atTerminal()) {
    throw new Failure(exits.needsHuman, 'This project is not trusted yet, and there is no terminal to ask at.', {
      code: 'trust.needed',
      hint: `Read the list above and run "${troupe} trust --yes".`,
    })
  }
  return (await confirmed('Let them act?', false)) ?? false
}
