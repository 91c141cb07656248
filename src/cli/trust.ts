import type { Command } from 'commander'
import { action, type Cli } from './cli.ts'
import { connect } from './client.ts'
import { type Exit, exits, Failure } from './failure.ts'
import { clean, paint, say, sayJson } from './print.ts'

interface ActingPart {
  readonly file: string
  readonly what: string
}

interface TrustState {
  readonly trusted: boolean
  readonly hash: string
  readonly acting: readonly ActingPart[]
  readonly changed: readonly ActingPart[]
}

export function define(command: Command): void {
  command
    .option('--yes', 'trust what is shown, without asking')
    .option('--revoke', 'no longer trust this project')
    .action(action(trust))
}

async function trust(cli: Cli, options: { yes?: boolean; revoke?: boolean }): Promise<Exit> {
  const client = await connect(cli)
  const state = await client.get<TrustState>('/api/trust')
  if (options.revoke) {
    const revoked = await client.post<TrustState>('/api/trust', { trusted: false })
    if (cli.json) sayJson(revoked)
    else say(`${cli.project} is no longer trusted: its files may only tighten what agents may do.`)
    return exits.ok
  }
  if (!cli.json) describe(cli, state)
  const settled = state.trusted || state.acting.length === 0
  if (settled || !(await agreed(cli, options.yes ?? false))) {
    if (cli.json) sayJson(state)
    return settled ? exits.ok : exits.needsHuman
  }
  // The hash is of what was shown: if a file changed in between, the server refuses.
  const trusted = await client.post<TrustState>('/api/trust', { trusted: true, hash: state.hash })
  if (cli.json) sayJson(trusted)
  else say(`${paint('green', '✓')} Trusted. If one of these changes, you are asked again.`)
  return exits.ok
}

function describe(cli: Cli, state: TrustState): void {
  if (state.acting.length === 0)
    say(`${cli.project} has nothing that acts: no rules, providers, hooks, tools or servers of its own.`)
  else say(`${cli.project} has parts that act on your machine${state.trusted ? ', and you trust them' : ''}:`)
  for (const part of state.acting) say(`  ${part.file}: ${clean(part.what)}`)
  if (state.changed.length > 0) say(paint('yellow', 'Changed since you trusted it:'))
  for (const part of state.changed) say(`  ${part.file}: ${clean(part.what)}`)
}

async function agreed(cli: Cli, yes: boolean): Promise<boolean> {
  if (yes) return true
  if (cli.json) return false
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Failure(exits.needsHuman, 'This project is not trusted yet, and there is no terminal to ask at.', {
      code: 'trust.needed',
      hint: 'Read the list above and run "troupe trust --yes".',
    })
  }
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message: 'Let them act?', initialValue: false })
  return !isCancel(answer) && answer
}
