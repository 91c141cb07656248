import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Event } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Session } from '../../contract/sessions.ts'
import { questionsOption } from '../alone.ts'
import { asCalled, troupe } from '../called.ts'
import { watchOthers } from '../chat/others.ts'
import { createView, linePrompt } from '../chat/plain-view.ts'
import type { Beginning } from '../chat/session.ts'
import { createChatSkills } from '../chat/skills.ts'
import { isAskedFor, type Watched, watchSession } from '../chat/watch.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, failureOf } from '../failure.ts'
import { answerMeantBy, isAnswer } from '../inbox-answers.ts'
import { commandFor } from '../inbox-items.ts'
import { latestWith } from '../latest-session.ts'
import { oneLine } from '../print.ts'
import { openRecorder } from '../recorder.ts'
import { openScreen } from '../screen.ts'
import { NOTHING_BEGINS, standstillLine } from '../standstill.ts'
import { settleDailyLimit } from './daily-limit.ts'
import { settleTrust } from './trust.ts'

interface ChatOptions {
  session?: string
  new?: boolean
  plain?: boolean
  record?: string
  questions?: string
}

export default function define(command: Command): void {
  command
    .argument('[agent]', 'whom to talk to', 'assistant')
    .option('--session <ref>', 'go on with this session')
    .option('--new', 'begin a new session')
    .option('--plain', 'line by line, without drawing; for screen readers and simple terminals')
    .option('--record <file>', 'keep the conversation in a file that "replay" plays back')
    .addOption(questionsOption('this session, from now on,'))
    .addHelpText(
      'after',
      '\nWhen text is piped in, each line is a message, answered before the next is sent; the chat ends with the text.',
    )
    .action(action(async (cli, agent: string, options: ChatOptions) => chat(cli, await connect(cli), agent, options)))
}

/** Talks until the person leaves or the pipe ends. */
export async function chat(cli: Cli, client: Client, agent: string, options: ChatOptions): Promise<Exit> {
  await settleTrust(cli, client)
  const ref = options.session ?? (options.new ? undefined : (await latestWith(client, agent))?.id)
  if (!ref) await client.call('GET /api/agents/{name}', { params: { name: agent } })
  await settleDailyLimit(cli, client, agent)
  const { questions } = options
  if (ref && questions !== undefined)
    await client.call('PATCH /api/sessions/{ref}', { params: { ref }, body: { questions } })
  const recorder = options.record === undefined ? undefined : openRecorder(cli, client, resolve(options.record))
  const entered = (sessionId: string): void => recorder?.enter(sessionId)
  try {
    if (!canDraw(cli, options)) return await chatInLines(cli, client, agent, { ref, questions, entered })
    const { chatOnTerminal } = await import('../chat/chat.ts')
    return await chatOnTerminal(cli, client, agent, { ref, questions, entered })
  } finally {
    await recorder?.close()
  }
}

const canDraw = (cli: Cli, { plain }: ChatOptions): boolean =>
  Boolean(process.stdin.isTTY && process.stdout.isTTY) && !plain && !cli.json && cli.env.TERM !== 'dumb'

async function chatInLines(cli: Cli, client: Client, agent: string, beginning: Beginning): Promise<Exit> {
  const { ref, questions, entered } = beginning
  const screen = openScreen()
  let watched: Watched | undefined
  let lastEnd = 'done'
  let lost: Failure | undefined
  let interrupts = 0
  let found: readonly string[] = []
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => {})
  const view = createView(screen, () => watched?.session.agent ?? agent, cli.json)
  const viewer = {
    ...view,
    ended(end: string, reason: string, event: Event) {
      lastEnd = end
      interrupts = 0
      view.ended(end, reason, event)
    },
  }

  async function enter(ref: string): Promise<Watched> {
    watched?.close()
    const opened = await watchSession(cli, client, ref, viewer)
    watched = opened
    entered(opened.session.id)
    opened.live.ended.catch((thrown: unknown) => {
      lost = failureOf(thrown)
      screen.close()
    })
    return opened
  }

  /** A script can foresee only questions that its own lines lead to. A question that was open before the script began is answered only by a line that fits it. */
  function isMeantFor(item: InboxItem, text: string): boolean {
    const foreseen = !found.includes(item.id)
    return item.kind === 'approval' ? foreseen && isAnswer(item, text) : foreseen || isAnswer(item, text)
  }

  async function submit(text: string): Promise<void> {
    interrupts = 0
    const waiting = watched?.waits()[0]
    if (waiting) {
      if (!screen.interactive && !isMeantFor(waiting, text)) throw notSent(waiting, text)
      await watched?.answer(waiting, answerMeantBy(waiting, text))
      return
    }
    // The session is made with the first message, so that a chat without one leaves nothing behind.
    const target = watched ?? (await enter(await create(client, agent, questions)))
    const busy = !target.idle()
    const { hint } = await target.say(text)
    if (hint !== undefined) screen.aside(`  ${asCalled(hint)}`)
    if (busy && screen.interactive) screen.aside('  (queued: it reads this at the next safe point)')
  }

  const commands: Record<string, (words: string) => Promise<void> | void> = {
    '/help': () => screen.aside(help),
    '/cancel': () => watched?.cancel(),
    '/clear': async () => {
      await watched?.clear()
      screen.aside('  (the history is gone; it begins anew)')
    },
    '/new': () => {
      watched?.close()
      watched = undefined
      screen.aside('  (a new session begins with your next message)')
    },
    '/compact': async (focus) => {
      if (watched === undefined) return screen.aside('  (nothing was said yet)')
      const params = { ref: watched.session.id }
      await client.call('POST /api/sessions/{ref}/compact', { params, body: focus ? { focus } : {} })
      screen.aside('  (it is compacted at its next safe point; all that was said stays in the log)')
    },
    '/sessions': async () => screen.aside(await sessionList(client, watched?.session.id)),
  }

  const skills = createChatSkills(
    client,
    () => watched?.session.agent ?? agent,
    () => {},
  )

  async function handle(text: string): Promise<void> {
    const [name = '', ...words] = text.trim().split(/\s+/)
    const command = commands[name]
    if (command) await command(words.join(' '))
    else if (/^\/[a-z][\w.:-]*$/i.test(text.trim()) && !(await skills.has(text.trim())))
      screen.aside(`  There is no ${text.trim()}; there is:\n${help}`)
    else await submit(text)
  }

  function invite(): void {
    const item = watched?.waits()[0]
    if (item || !watched || watched.idle()) screen.prompt(linePrompt(item))
  }

  screen.onInterrupt(() => {
    interrupts += 1
    if (interrupts > 1) return screen.close()
    if (!watched || watched.idle()) return screen.aside('  (Ctrl-C again leaves)')
    screen.aside('  (canceling; Ctrl-C again leaves)')
    watched.cancel().catch((thrown: unknown) => screen.aside(`  ${failureOf(thrown).message}`))
  })

  const stopWatching = watchOthers(cli, client, {
    isHere: (id) => id === watched?.session.id,
    takes(item) {
      const isOurs = watched !== undefined && isAskedFor(watched.session.id, item)
      if (isOurs) watched?.ask(item)
      return isOurs
    },
    added: () => {},
    over: (event) => watched?.over(event),
    still(paused) {
      if (screen.interactive) screen.aside(`  ${standstillLine(paused)}`)
      else if (paused) stopped.reject(standsStill())
    },
  })

  try {
    const { session } = (ref && (await enter(ref))) || {}
    found = watched?.waits().map(({ id }) => id) ?? []
    if (screen.interactive) screen.aside(greeting(agent, session))
    invite()

    for await (const line of screen.lines) {
      const text = line.trim()
      if (text === '/quit' || text === '/exit') break
      if (text) {
        await handle(line).catch((thrown: unknown) => {
          if (!screen.interactive) throw thrown
          const { message, hint } = failureOf(thrown)
          screen.aside(`  ${message}${hint ? ` ${hint}` : ''}`)
        })
      }
      if (!screen.interactive) await Promise.race([watched?.settled(), stopped.promise])
      else invite()
    }
  } finally {
    stopWatching()
    screen.close()
    watched?.close()
  }
  if (lost) throw lost
  if (screen.interactive) return exits.ok
  if (watched?.waits().length) return exits.needsHuman
  return lastEnd === 'done' ? exits.ok : exits.failed
}

const notSent = (item: InboxItem, text: string): Failure =>
  new Failure(exits.needsHuman, `"${oneLine(text, 60)}" was not sent: the session waits for you (${item.kind}).`, {
    code: 'cli.needs_human',
    hint: `Answer first: ${commandFor(item)}`,
  })

const standsStill = (): Failure =>
  new Failure(exits.needsHuman, NOTHING_BEGINS, {
    code: 'cli.needs_human',
    hint: 'What was sent is kept, and read then.',
  })

const help = `  /new       begin a new session      /sessions  list the others
  /clear     forget the history       /compact   go on with a summary of it
  /cancel    stop what it does
  /quit      leave; what it has begun goes on in the server
  Type while it works, and it reads that at the next safe point. Ctrl-C stops it, twice leaves.`

function greeting(agent: string, session: Session | undefined): string {
  const where = session?.messageCount
    ? `going on with ${session.handle} "${oneLine(session.title, 50)}"; /new begins another`
    : 'a new session'
  return `Talking to ${session?.agent ?? agent}: ${where}. /help says what else there is.`
}

const create = async (client: Client, agent: string, questions: string | undefined): Promise<string> =>
  (await client.call('POST /api/sessions', { body: { agent, ...(questions ? { questions } : {}) } })).id

async function sessionList(client: Client, current: string | undefined): Promise<string> {
  const { items } = await client.call('GET /api/sessions', { query: { limit: 10 } })
  const lines = items.map(
    ({ id, handle, agent, status, title }) =>
      `  ${id === current ? '*' : ' '} ${handle} ${agent} (${status}) ${oneLine(title, 50)}`,
  )
  return [...lines, `  Go on with one: ${troupe} chat --session <handle>`].join('\n')
}
