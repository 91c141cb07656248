import type { Command } from 'commander'
import { type Answer, ASK_SECONDS } from '../../contract/answers.ts'
import type { Reply, SendMail } from '../../contract/api.ts'
import { newId } from '../../lib/ids.ts'
import { type AloneOptions, aloneOf, takesAlone } from '../alone.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, usage } from '../failure.ts'
import { note, say, sayJson } from '../print.ts'
import { replyIn } from '../replies.ts'
import { noteStandstill } from '../standstill.ts'
import { awaitReply, conclude, readText } from './send.ts'

interface AskOptions extends AloneOptions {
  timeout?: string
  new?: boolean
  session?: string
}

export default function define(command: Command): void {
  command
    .argument('<to>', 'an agent, or the handle of a session')
    .argument('[text...]', 'the question; read from standard input when left out or "-"')
    .option('--timeout <seconds>', `how long to wait for the answer (${ASK_SECONDS}, which is the most)`)
    .option('--new', 'in a new session')
    .option('--session <ref>', 'in this session of the agent')
    .action(action(ask))
  takesAlone(command, 'this session, from now on,')
}

async function ask(cli: Cli, to: string, words: string[], options: AskOptions): Promise<Exit> {
  const content = await readText(words)
  const seconds = timeoutOf(options.timeout)
  const client = await connect(cli)
  const question: SendMail = {
    to,
    content,
    ask: true,
    clientId: newId('cli'),
    ...(options.new ? { session: 'create' } : options.session ? { session: options.session } : {}),
    ...aloneOf(options),
  }
  await noteStandstill(cli, client)
  if (!cli.acting) return end(await awaitReply(client, question, seconds))
  const timeoutMs = seconds * 1000 + 30_000
  const answer = await client.call('POST /api/mail', { body: { ...question, wait: seconds }, timeoutMs })
  return 'status' in answer ? tellAnswer(cli, answer, seconds) : end(replyIn(answer))

  function end(reply: Reply): Promise<Exit> {
    return conclude(cli, client, reply, seconds, `--timeout ${ASK_SECONDS}`)
  }
}

function tellAnswer(cli: Cli, answer: Answer, seconds: number): Exit {
  const { status, agent, session, response, truncated } = answer
  if (cli.json) {
    sayJson(answer)
    return status === 'complete' ? exits.ok : exits.failed
  }
  if (status === 'complete') {
    say(response)
    if (truncated) note('The answer was longer and is cut here: ask for less, or for a file.')
    return exits.ok
  }
  if (status === 'timeout') {
    throw new Failure(exits.failed, `No answer of ${agent} ${session} within ${seconds} s.`, {
      code: 'ask.timeout',
      hint: 'When the answer comes, it is mail to your session.',
    })
  }
  throw new Failure(exits.failed, response || `${agent} ${session} gave no answer.`, { code: `ask.${status}` })
}

/** How many seconds to wait. More than any question may wait is refused as a mistake. */
export function timeoutOf(given: string | undefined): number {
  if (given === undefined) return ASK_SECONDS
  const seconds = Number(given)
  if (!/^\d+(\.\d+)?$/.test(given) || seconds > ASK_SECONDS)
    throw usage(`--timeout must be a number of seconds up to ${ASK_SECONDS}, not "${given}".`)
  return seconds
}
