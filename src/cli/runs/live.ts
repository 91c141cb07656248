import { stripVTControlCharacters } from 'node:util'
import type { Client } from '../../client/client.ts'
import type { Event } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Run } from '../../contract/runs.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { cut, tame, wrapWords } from '../chat/cells.ts'
import { decisionLines } from '../chat/decisions.ts'
import { askedLines, dockPlaceholder } from '../chat/dock.ts'
import { openHistory } from '../chat/history.ts'
import type { Key } from '../chat/keys.ts'
import { createLine } from '../chat/line.ts'
import { createPanel } from '../chat/panel.ts'
import { compose } from '../chat/scene.ts'
import { accent, bold, dim, style } from '../chat/style.ts'
import { openTerminal } from '../chat/terminal.ts'
import type { Cli } from '../cli.ts'
import { type Exit, exits, failureOf } from '../failure.ts'
import { answerMeantBy, choicesFor } from '../inbox-answers.ts'
import { say } from '../print.ts'
import { askingIn, sayResult, wayBack } from './result.ts'
import { runStatusLine } from './status.ts'
import { type RunCommand, runCommands } from './steering.ts'
import { runIsOver, type TreeView, treeLines } from './tree.ts'
import { watchRun } from './watched.ts'

const DRAW_MS = 30
const SPIN_MS = 120
const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

/** A run on a terminal: the tree in a frame, what is asked below it, and a line to answer or to write to its members. */
export async function followOnTerminal(cli: Cli, client: Client, run: Run): Promise<Exit> {
  const now = (): number => systemClock.now()
  const over = Promise.withResolvers<'ended' | 'left'>()
  /** While the run is being read there is nothing to draw, and keys are for nobody. */
  let open = false
  const terminal = openTerminal({
    key: onKey,
    resize: () => draw(),
    stray: (text) => aside(stripVTControlCharacters(text).trimEnd().split('\n').map(dim)),
  })
  const { frame } = terminal
  const commands = runCommands(client, run.id, () => over.resolve('left'))
  const panel = createPanel()
  const watched = await watchRun(cli, client, run.id, { changed, event }).catch((thrown: unknown) => {
    terminal.close()
    throw thrown
  })
  const line = createLine({
    history: openHistory(cli.home, cli.project),
    known: { commands: () => commands, argument: () => [], files: () => [], agents: members },
    choices: () => (watched.items[0] ? choicesFor(watched.items[0]) : []),
    submit: (text) => void act(() => handle(text), text),
  })
  let drawing: NodeJS.Timeout | undefined
  let asked: string | undefined

  function members() {
    const { board } = watched
    const workers = board.workers.filter(({ sessionId }) => sessionId !== undefined)
    return [
      { name: 'coordinator', description: 'leads the run' },
      { name: '*', description: 'everyone' },
      ...workers.map(({ name, agent, status }) => ({ name, description: `${agent}, ${status}` })),
    ]
  }

  function changed(): void {
    if (open) drawing ??= setTimeout(draw, DRAW_MS)
  }

  /** The first words of the goal stand above; what it is called now stands below them. */
  function event({ type, data }: Event): void {
    if (open && type === 'run.titled')
      aside([`${dim('It is called:')} ${bold(cut(tame(String(data.title)), frame.width - 14))}`])
  }

  function draw(): void {
    clearTimeout(drawing)
    drawing = undefined
    if (!open) return
    const { board, items, still } = watched
    const [item] = items
    // What was typed before a question came is no answer to it.
    if (item && asked !== item.id && line.draft.text !== '') line.set('')
    asked = item?.id
    const { lines, cursor } = compose(
      {
        live: treeLines(viewOf(items), frame.width, frame.rows - (item ? 12 : 5)),
        unread: [],
        busy: true,
        todos: [],
        items,
        panel: panel.open && item ? (height) => opened(item, height) : undefined,
        line,
        placeholder: item ? dockPlaceholder(item) : 'Write to the coordinator, to @worker, or / to steer',
        status: runStatusLine(board.run, { items, still, now: now(), spinner: spin() }, frame.width),
      },
      frame.width,
      frame.rows,
    )
    frame.draw(lines, cursor)
    if (runIsOver(board.run.status)) over.resolve('ended')
    else drawing = setTimeout(draw, SPIN_MS)
  }

  const spin = (): string => spinner[Math.floor(now() / SPIN_MS) % spinner.length]!

  const viewOf = (items: readonly InboxItem[]): TreeView => ({
    board: watched.board,
    doing: watched.activities.of,
    asking: askingIn(items),
    now: now(),
    spinner: spin(),
    paint: style,
  })

  const opened = (item: InboxItem, height: number): string[] =>
    panel.lines(
      `all of this ${item.kind}`,
      askedLines(item, frame.width).map((text) => `  ${text}`),
      frame.width,
      height,
    )

  function aside(lines: readonly string[]): void {
    frame.print(lines)
    changed()
  }

  async function handle(text: string): Promise<void> {
    const [, name, rest] = /^@(\*|[\w-]+)\s+(.+)$/s.exec(text) ?? []
    const [item] = watched.items
    // Whatever else begins with a slash may be an answer, such as a path.
    const command = commands.find((one) => `/${one.name}` === text)
    if (command) await obey(command)
    else if (name !== undefined && rest !== undefined) await write(name, rest)
    else if (item) await answer(item, text)
    else await write('coordinator', text)
  }

  async function obey(command: RunCommand): Promise<void> {
    const said = await command.run()
    if (said) aside(wrapWords(said, frame.width))
  }

  async function answer(item: InboxItem, text: string): Promise<void> {
    const body = answerMeantBy(item, text)
    const said = 'answer' in body ? body.answer : [body.decision, body.reason].filter(Boolean).join(': ')
    aside(decisionLines(item.title, said, frame.width))
    await client.call('POST /api/inbox/{id}/answer', { params: { id: item.id }, body })
    await watched.look()
  }

  async function write(name: string, content: string): Promise<void> {
    const body = { to: name, content, clientId: newId('cli') }
    await client.call('POST /api/runs/{id}/messages', { params: { id: run.id }, body })
    aside([`${accent('›')} ${dim(`${name}:`)} ${cut(content, frame.width - name.length - 6)}`])
  }

  /** Shows a failure and brings back what was typed. */
  async function act(does: () => Promise<void>, typed: string): Promise<void> {
    try {
      await does()
    } catch (thrown) {
      const { code, message, hint } = failureOf(thrown)
      aside(wrapWords(`${style('red', '✗')} ${tame(message)}${hint ? dim(` ${tame(hint)}`) : ''}`, frame.width))
      if (code !== 'inbox.bad_answer' && line.draft.text === '') line.set(typed)
    }
    changed()
  }

  function onKey(key: Key): void {
    if (!open && key.name === 'ctrl-c') over.resolve('left')
    if (!open) return
    const mine = keys[key.name]
    if (mine) mine()
    else line.press(key)
    draw()
  }

  const keys: Record<string, () => void> = {
    'ctrl-c': () => over.resolve('left'),
    'ctrl-d': () => (line.draft.text === '' ? over.resolve('left') : void line.press({ name: 'delete' })),
    'ctrl-l': () => frame.wipe(),
    'ctrl-o': () => panel.toggle(),
    pageup: () => panel.scroll(-1),
    pagedown: () => panel.scroll(1),
    escape: () => (line.completion ? line.dismiss() : panel.open ? panel.toggle() : undefined),
  }

  open = true
  frame.print([bold(cut(run.title, frame.width)), ''])
  draw()
  watched.ended.catch(over.reject)
  try {
    const how = await over.promise
    if (how === 'ended') await watched.look()
    if (how === 'ended') frame.print([...treeLines(viewOf([]), frame.width, Number.POSITIVE_INFINITY), ''])
    stop()
    if (how === 'ended') return sayResult(cli, watched.board)
    say(`It goes on in the server.\n${wayBack(watched.board.run)}`)
    return exits.ok
  } finally {
    stop()
  }

  function stop(): void {
    open = false
    clearTimeout(drawing)
    terminal.close()
    watched.close()
  }
}
