import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Answered } from '../../client/calls.ts'
import type { Client } from '../../client/client.ts'
import type { Reply, SendMail } from '../../contract/api.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type AloneOptions, aloneOf, takesAlone } from '../alone.ts'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, usage } from '../failure.ts'
import { openItems, sayItem } from '../inbox-items.ts'
import { note, paint, say, sayJson, tell } from '../print.ts'
import { saveRecording } from '../recorder.ts'
import { replyIn } from '../replies.ts'
import { isPaused, noteHint, noteStandstill } from '../standstill.ts'
import { readAll } from '../stdin.ts'
import { settleTrust } from './trust.ts'

interface SendOptions extends AloneOptions {
  wait?: string | true
  followup?: boolean
  interrupt?: boolean
  new?: boolean
  session?: string
  record?: string
}

/** One request never waits longer than this; a longer wait is several requests. */
const WAIT_STEP = 100
const DEFAULT_WAIT = 120

export default function define(command: Command): void {
  command
    .argument('<to>', 'an agent, or the handle of a session')
    .argument('[text...]', 'the message; read from standard input when left out or "-"')
    .option('-w, --wait [seconds]', `wait for the reply (${DEFAULT_WAIT} s) and print it`)
    .option('--followup', 'only when it has finished what it is doing')
    .option('--interrupt', 'stop what it is doing and read this first')
    .option('--new', 'in a new session')
    .option('--session <ref>', 'in this session of the agent')
    .option('--record <file>', 'with --wait: keep the conversation in a file that "replay" plays back')
    .action(action(send))
  takesAlone(command, 'this session, from now on,')
  waitTakesOnlyNumbers(command)
}

async function send(cli: Cli, to: string, words: string[], options: SendOptions): Promise<Exit | undefined> {
  const text = await readText(words)
  const wait = secondsOf(options.wait)
  if (wait !== undefined && isSession(cli)) {
    throw usage(
      'A session does not wait for what comes of a message.',
      `Use "${troupe} ask <to> …": it waits for the answer.`,
    )
  }
  if (options.record !== undefined && wait === undefined)
    throw usage('There is nothing to record before the reply.', 'Add --wait.')
  const client = await connect(cli)
  await settleTrust(cli, client)
  const mail: SendMail = {
    to,
    content: text,
    clientId: newId('cli'),
    ...(options.followup ? { followup: true } : {}),
    ...(options.interrupt ? { interrupt: true } : {}),
    ...(options.new ? { session: 'create' } : options.session ? { session: options.session } : {}),
    ...aloneOf(options),
  }
  if (wait === undefined) {
    const sent = await client.call('POST /api/mail', { body: mail })
    const paused = await isPaused(client)
    tell(cli, sent, () => say(`${paint('green', '✓')} ${paused && 'hint' in sent ? 'accepted' : inWords(sent)}`))
    noteHint(cli, 'hint' in sent ? sent : {})
    return exits.ok
  }
  await noteStandstill(cli, client)
  const reply = await awaitReply(client, mail, wait)
  if (options.record !== undefined && reply.session !== undefined)
    await saveRecording(client, reply.session, resolve(options.record))
  return conclude(cli, client, reply, wait)
}

/** Whoever holds the token of a session acts as that session. */
const isSession = (cli: Cli): boolean => cli.acting?.token.startsWith('ses_') ?? false

function inWords(sent: Answered<'POST /api/mail'>): string {
  if ('inboxId' in sent) return `accepted; it is in the person's inbox (${sent.inboxId})`
  if ('response' in sent) return `answered by ${sent.agent} ${sent.session}`
  return `${outcomes[sent.outcome]}${sent.session ? ` (session ${sent.session})` : ''}`
}

const outcomes: Record<Reply['outcome'], string> = {
  started: 'accepted; it has begun',
  queued: 'accepted; it reads this at the next safe point',
  held: 'accepted; it reads this when it has finished',
  answered: 'accepted as the answer to its question',
  suppressed: 'stored, but it wakes nobody',
}

export async function awaitReply(client: Client, mail: SendMail, seconds: number): Promise<Reply> {
  const giveUpAt = systemClock.now() + seconds * 1000
  const step = (): { seconds: number; timeoutMs: number } => {
    const left = Math.min(WAIT_STEP, Math.max(0, (giveUpAt - systemClock.now()) / 1000))
    return { seconds: left, timeoutMs: left * 1000 + 30_000 }
  }
  const first = step()
  const body = { ...mail, wait: first.seconds }
  let reply = replyIn(await client.call('POST /api/mail', { body, timeoutMs: first.timeoutMs }))
  const { hint } = reply
  while (!reply.ended && !reply.waits?.length && systemClock.now() < giveUpAt) {
    const next = step()
    const given = { params: { id: reply.mailId }, query: { wait: next.seconds }, timeoutMs: next.timeoutMs }
    reply = replyIn(await client.call('GET /api/mail/{id}', given))
  }
  return hint === undefined ? reply : { ...reply, hint }
}

export async function conclude(
  cli: Cli,
  client: Client,
  reply: Reply,
  waited: number,
  longer = '--wait=600',
): Promise<Exit> {
  const exit = exitOf(reply)
  if (cli.json) {
    sayJson(reply)
    return exit
  }
  noteHint(cli, reply)
  if (reply.reply) say(reply.reply)
  if (exit === exits.needsHuman) {
    const waits = new Set(reply.waits?.map(({ inboxId }) => inboxId))
    for (const item of (await openItems(client)).filter(({ id }) => waits.has(id))) sayItem(item, note)
    note(`Once answered it goes on by itself; read it with "${troupe} sessions messages ${reply.session ?? ''}".`)
  } else if (!reply.ended) {
    throw new Failure(exits.failed, `No reply within ${waited} s. ${await whatItDoes(client, reply)}`, {
      code: 'cli.no_reply_yet',
      hint: `"${troupe} why ${reply.session ?? ''}" says more. Look later with "${troupe} sessions messages ${reply.session ?? ''}", or wait longer with ${longer}.`,
    })
  } else if (exit === exits.failed) {
    throw new Failure(exits.failed, reply.reason ?? `The turn ended with "${reply.end}".`, {
      code: `turn.${reply.end}`,
    })
  }
  return exit
}

/** The first line of "why": an agent that waits for a vendor or for others is not simply at work. */
async function whatItDoes(client: Client, { session }: Reply): Promise<string> {
  if (session === undefined) return 'It is still working.'
  const { text } = await client.call('GET /api/why/{ref}', { params: { ref: session } })
  return text.split('\n', 1)[0] ?? ''
}

function exitOf(reply: Reply): Exit {
  if (!reply.ended) return reply.waits?.length ? exits.needsHuman : exits.failed
  return reply.end === undefined || reply.end === 'done' ? exits.ok : exits.failed
}

export async function readText(words: string[], without = NO_TEXT): Promise<string> {
  const text = words.length === 0 || words.join(' ') === '-' ? await readAll(process.stdin) : words.join(' ')
  if (text.trim() === '') throw usage(...without)
  return text
}

const NO_TEXT: Parameters<typeof usage> = ['There is no text to send.', 'Say it behind the address, or pipe it in.']

function secondsOf(wait: string | true | undefined): number | undefined {
  if (wait === undefined) return undefined
  if (wait === true || wait === '') return DEFAULT_WAIT
  if (!isSeconds(wait)) throw usage(`--wait must be a number of seconds, not "${wait}".`)
  return Number(wait)
}

const isSeconds = (text: string | undefined): boolean => /^\d+(\.\d+)?$/.test(text ?? '')

/** The word after --wait is taken as seconds only when it is a number: in "--wait coder hello" it is an agent. */
function waitTakesOnlyNumbers(command: Command): void {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = (words) =>
    parse(
      words.map((word, at) => ((word === '--wait' || word === '-w') && !isSeconds(words[at + 1]) ? '--wait=' : word)),
    )
}
