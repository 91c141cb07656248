import { stripVTControlCharacters } from 'node:util'
import type { Client } from '../../client/client.ts'
import type { Agent } from '../../contract/agents.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Run } from '../../contract/runs.ts'
import type { Session } from '../../contract/sessions.ts'
import { systemClock } from '../../lib/clock.ts'
import { closest } from '../../lib/closest.ts'
import { troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { type Exit, exits, type Failure, failureOf } from '../failure.ts'
import { answerMeantBy, choicesFor } from '../inbox-answers.ts'
import { senderOf } from '../inbox-items.ts'
import { paint, say } from '../print.ts'
import { whereabouts } from '../server.ts'
import { standstillLine } from '../standstill.ts'
import { createHelpers } from './at-work.ts'
import { openedCalls } from './call-lines.ts'
import { cells, cut, tame, wrapWords } from './cells.ts'
import { isCommand, unknown } from './command.ts'
import type { Suggestion } from './completion.ts'
import { decisionLines } from './decisions.ts'
import { askedLines } from './dock.ts'
import { createChatFeed } from './feed.ts'
import { filesOf } from './files.ts'
import { showRun } from './goal-command.ts'
import { openHistory } from './history.ts'
import type { Key } from './keys.ts'
import { createLine } from './line.ts'
import { watchOthers } from './others.ts'
import { createPanel } from './panel.ts'
import { openPaper } from './paper.ts'
import { compose } from './scene.ts'
import { type Beginning, createChatSession } from './session.ts'
import { beside, createChatSkills } from './skills.ts'
import { chatCommands } from './slash-commands.ts'
import { placeholderOf, statusLineOf } from './state.ts'
import { statusLine } from './status.ts'
import { dim, style } from './style.ts'
import { pickable } from './switching.ts'
import { openTerminal } from './terminal.ts'

const DRAW_MS = 30
const SPIN_MS = 120
/** A second Ctrl-C within this time leaves the chat. */
const LEAVE_MS = 3000
const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** The chat on a terminal: the conversation scrolls away above a frame at the bottom, which holds what changes. */
export async function chatOnTerminal(
  cli: Cli,
  client: Client,
  agent: string,
  { ref, questions, entered }: Beginning,
): Promise<Exit> {
  const now = (): number => systemClock.now()
  const { promise: left, resolve: leave } = Promise.withResolvers<Failure | Run | undefined>()
  const terminal = openTerminal({
    key: onKey,
    resize: () => draw(),
    stray: (text) => aside(stripVTControlCharacters(text).trimEnd().split('\n')),
  })
  const { frame } = terminal
  const paper = openPaper((lines) => frame.print(lines))
  const width = (): number => frame.width
  // The conversation restarts a server that was killed; if helpers did so too, they would race.
  const follower = { client, whereabouts: whereabouts({ ...cli, start: false }), changed }
  const newFeed = (session: Session | undefined) =>
    createChatFeed(session, { paper, width, now, changed, helpers: createHelpers(follower) })
  const talk = createChatSession(agent, {
    cli,
    client,
    newFeed,
    entered,
    questions,
    lost: leave,
    tell: (text) => aside([text]),
    changed,
  })
  const panel = createPanel()
  const commands = chatCommands({ cli, client, talk, now, width, quit: () => leave(undefined), follow: leave })
  const skills = createChatSkills(client, () => talk.agent, changed)
  const suggestions = new Map<string, readonly Suggestion[]>()
  const agents: Agent[] = []
  const line = createLine({
    history: openHistory(cli.home, cli.project),
    known: {
      commands: () => beside(commands, skills.list()),
      argument: suggest,
      files: filesOf(cli.project, now, changed),
      agents: () => agents,
    },
    choices: () => (talk.waits()[0] ? choicesFor(talk.waits()[0]!) : []),
    submit: (text) => void act(() => handle(text), text),
  })
  let leaving: NodeJS.Timeout | undefined
  let stashed: { item: string; text: string } | undefined
  let drawing: NodeJS.Timeout | undefined
  let stopWatching = (): void => {}
  let still = false
  let open = true

  function changed(): void {
    drawing ??= setTimeout(draw, DRAW_MS)
  }

  function draw(): void {
    clearTimeout(drawing)
    drawing = undefined
    if (!open) return
    const items = talk.waits()
    stash(items[0])
    const { lines, cursor } = compose(
      {
        live: talk.feed.live(frameOfSpinner()),
        unread: talk.unread(),
        busy: talk.busy(),
        todos: talk.feed.todos(),
        items,
        panel: panel.open ? (height) => opened(items[0], height) : undefined,
        line,
        placeholder: placeholderOf(talk),
        status: statusLine(
          statusLineOf(talk, { now: now(), spinner: frameOfSpinner(), leaving: leaving !== undefined, still }),
          width(),
        ),
      },
      width(),
      frame.rows,
    )
    frame.draw(lines, cursor)
    if (!talk.idle() && !items[0]) drawing = setTimeout(draw, SPIN_MS)
  }

  /** What Ctrl-O shows: all of what is asked, or what the last tools did. */
  function opened(item: InboxItem | undefined, height: number): string[] {
    if (item) {
      const lines = askedLines(item, width()).map((line) => `  ${line}`)
      return panel.lines(`all of this ${item.kind}`, lines, width(), height)
    }
    const { past, group } = talk.feed.calls
    const lines = openedCalls([...past, group], width())
    return panel.lines('what the last tools did, newest first', lines, width(), height)
  }

  /** A question comes while the person types: their text is no answer to it, so it is put away and comes back later. */
  function stash(item: InboxItem | undefined): void {
    if (stashed && stashed.item !== item?.id) {
      if (line.draft.text === '') line.set(stashed.text)
      stashed = undefined
    }
    if (item && !stashed) {
      stashed = { item: item.id, text: line.draft.text }
      line.set('')
    }
  }

  const frameOfSpinner = (): string => spinner[Math.floor(now() / SPIN_MS) % spinner.length]!

  function aside(lines: readonly string[]): void {
    paper.print(
      'remark',
      // Wrapping removes leading blanks, so a line that fits is not wrapped and its columns stay columns.
      lines
        .map(tame)
        .flatMap((text) => (cells(text) <= width() - 2 ? [text] : wrapWords(text, width() - 2)))
        .map((text) => dim(`  ${text}`)),
    )
    changed()
  }

  async function handle(text: string): Promise<void> {
    const [word = ''] = text.split(/\s/, 1)
    const command = commands.find(({ name }) => word === `/${name}` || (word === '/exit' && name === 'quit'))
    const near = closest(
      word.slice(1),
      beside(commands, skills.list()).map(({ name }) => name),
    )
    const item = talk.waits()[0]
    if (command) {
      paper.print('command', [dim(`› ${cut(text, width() - 2)}`)])
      aside(await command.run(text.slice(word.length).trim()))
    } else if (isCommand(word, text, near) && !(await skills.has(word))) aside([unknown(word, near)])
    else if (item) await answer(item, text)
    else await talk.say(text)
  }

  async function answer(item: InboxItem, text: string): Promise<void> {
    const given = answerMeantBy(item, text)
    const said = 'answer' in given ? given.answer : [given.decision, given.reason].filter(Boolean).join(': ')
    // The answer is shown before it is sent: its effects may arrive before the receipt.
    paper.print('remark', decisionLines(item.title, said, width()))
    await talk.answer(item, given)
  }

  /** Shows a failure and brings back what was typed, unless it would be in the way of the keys that are offered. */
  async function act(run: () => Promise<void>, typed = ''): Promise<void> {
    try {
      await run()
    } catch (thrown) {
      const { code, message, hint } = failureOf(thrown)
      paper.print(
        'remark',
        wrapWords(`${style('red', '✗')} ${tame(message)}${hint ? dim(` ${tame(hint)}`) : ''}`, width()),
      )
      if (code !== 'inbox.bad_answer' && !typed.startsWith('/') && line.draft.text === '') line.set(typed)
    }
    changed()
  }

  function onKey(key: Key): void {
    if (key.name !== 'ctrl-c') stay()
    const mine = keys[key.name]
    if (mine) mine()
    else line.press(key)
    draw()
  }

  function stay(): void {
    clearTimeout(leaving)
    leaving = undefined
  }

  const keys: Record<string, () => void> = {
    'ctrl-c': () => {
      if (leaving) return leave(undefined)
      leaving = setTimeout(() => {
        stay()
        draw()
      }, LEAVE_MS)
      if (line.draft.text !== '') line.set('')
      else if (!talk.idle()) void act(() => talk.cancel())
    },
    'ctrl-d': () => (line.draft.text === '' ? leave(undefined) : void line.press({ name: 'delete' })),
    'ctrl-l': () => frame.wipe(),
    'ctrl-o': () => panel.toggle(),
    pageup: () => panel.scroll(-1),
    pagedown: () => panel.scroll(1),
    escape: () => {
      if (line.completion) line.dismiss()
      else if (panel.open) panel.toggle()
      else if (!talk.idle()) void act(() => talk.cancel())
    },
  }

  /** Suggestions are fetched once, when they are first asked for. */
  function suggest(name: string): readonly Suggestion[] {
    const known = suggestions.get(name)
    if (known) return known
    suggestions.set(name, [])
    const found = commands.find((command) => command.name === name)?.suggest?.()
    void found?.then((items) => suggestions.set(name, items)).then(changed, () => suggestions.delete(name))
    return []
  }

  async function begin(): Promise<void> {
    aside([
      ref
        ? `Going on with ${agent}. /new begins another session, /help says what else there is.`
        : `${agent}: a new session. /help says what there is.`,
    ])
    if (ref) await talk.enter(ref)
    draw()
    stopWatching = watchOthers(cli, client, {
      isHere: (id) => id === talk.session?.id,
      takes: (item) => talk.asks(item),
      added: tellOf,
      over: (event) => talk.over(event),
      still(paused) {
        still = paused
        aside([standstillLine(paused)])
      },
    })
    agents.push(...(await pickable(client)))
    const hidden = await skills.hidden(commands)
    if (hidden.length > 0) aside(hidden)
  }

  function tellOf(item: InboxItem): void {
    const who = senderOf(item)
    aside([cut(`${item.kind} from ${who}: ${item.title} (${troupe} inbox)`, width() - 2)])
  }

  void act(begin)
  const next = await left
  open = false
  clearTimeout(drawing)
  stay()
  terminal.close()
  stopWatching()
  talk.close()
  if (next instanceof Error) throw next
  if (next) {
    await showRun(cli, client, next)
    return chatOnTerminal(cli, client, agent, { ref: talk.session?.id ?? ref, questions, entered })
  }
  if (talk.session) say(paint('dim', `Go on with: ${troupe} chat --session ${talk.session.handle}`))
  return exits.ok
}
