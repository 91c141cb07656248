import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { follow } from '../../client/live.ts'
import { ASK_SECONDS, type Question } from '../../contract/answers.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import { systemClock } from '../../lib/clock.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure } from '../failure.ts'
import { openItems } from '../inbox-items.ts'
import { sayJson } from '../print.ts'
import { whereabouts } from '../server.ts'
import { timeoutOf } from './ask.ts'

interface ListenOptions {
  session?: string
  timeout?: string
}

/** A question in the person's inbox, as a script wants it. */
interface Asked {
  readonly inboxId: string
  readonly from: string
  readonly question: string
  readonly options?: readonly string[]
}

export default function define(command: Command): void {
  command
    .option('--session <ref>', 'what this session is asked; else what you are asked')
    .option('--timeout <seconds>', `how long to wait (${ASK_SECONDS}, which is the most; 0 looks once)`)
    .action(action(listen))
}

async function listen(cli: Cli, { session, timeout }: ListenOptions): Promise<void> {
  const seconds = timeoutOf(timeout)
  const client = await connect(cli)
  const ofSession = cli.acting !== undefined || session !== undefined
  const asked = ofSession ? await nextQuestion(client, session, seconds) : await nextItem(cli, client, seconds)
  if (asked === undefined) {
    throw new Failure(exits.failed, `No question came within ${seconds} s.`, {
      code: 'cli.no_question',
      hint: 'Run it again to go on waiting.',
    })
  }
  sayJson(asked)
}

/** One request never waits longer than this; a longer wait is several requests. */
const WAIT_STEP = 100

async function nextQuestion(
  client: Client,
  session: string | undefined,
  seconds: number,
): Promise<Question | undefined> {
  const giveUpAt = systemClock.now() + seconds * 1000
  for (;;) {
    const wait = Math.min(WAIT_STEP, Math.max(0, (giveUpAt - systemClock.now()) / 1000))
    const query = { session, questions: true, wait }
    const { items } = await client.call('GET /api/mail', { query, timeoutMs: wait * 1000 + 30_000 })
    const question = items.find((item) => 'question' in item)
    if (question || systemClock.now() >= giveUpAt) return question
  }
}

async function nextItem(cli: Cli, client: Client, seconds: number): Promise<Asked | undefined> {
  // The position is read before the list, so that no item which is added between the two is missed.
  const { seq } = await client.snapshot('GET /api/inbox', { query: { status: 'open', project: '*', limit: 1 } })
  const open = await oldest(client)
  if (open !== undefined || seconds === 0) return open
  const found = Promise.withResolvers<Asked | undefined>()
  const live = await follow(
    client,
    { types: ['inbox.added'], project: '*', after: seq },
    {
      async event() {
        const item = await oldest(client)
        if (item) found.resolve(item)
      },
    },
    whereabouts(cli),
  )
  live.ended.then(() => found.resolve(undefined), found.reject)
  const timer = setTimeout(() => found.resolve(undefined), seconds * 1000)
  try {
    return await found.promise
  } finally {
    clearTimeout(timer)
    live.close()
  }
}

async function oldest(client: Client): Promise<Asked | undefined> {
  const item = (await openItems(client)).findLast(({ kind }) => kind === 'question')
  return item && asked(item)
}

const asked = ({ id, from, title, body, options }: InboxItem): Asked => ({
  inboxId: id,
  from: [from.agent ?? from.kind, from.handle].filter(Boolean).join(' '),
  question: body || title,
  ...(options ? { options } : {}),
})
