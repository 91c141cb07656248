import type { Client } from '../../client/client.ts'
import { type EventHandlers, handleEvent } from '../../contract/event-handlers.ts'
import type { Event } from '../../contract/events.ts'
import type { Board, Run } from '../../contract/runs.ts'
import { asCalled, troupe } from '../called.ts'
import type { Cli } from '../cli.ts'
import { type Exit, exits } from '../failure.ts'
import { sayItem } from '../inbox-items.ts'
import { note, oneLine, sayJson } from '../print.ts'
import { NOTHING_BEGINS } from '../standstill.ts'
import { previewLine } from '../transcript.ts'
import { shortRun } from './ref.ts'
import { sayResult, wayBack } from './result.ts'
import { marks, runIsOver } from './tree.ts'
import { type WatchedRun, watchRun } from './watched.ts'

/** Follows a run where nothing can be drawn: a line for each thing that happens, until it ends or only a person can help. */
export async function followInLines(cli: Cli, client: Client, run: Run): Promise<Exit> {
  const over = Promise.withResolvers<Exit>()
  const heard: Heard = { titles: new Map(), givenTo: new Map() }
  let watched: WatchedRun | undefined
  const shown = new Set<string>()

  function changed(): void {
    if (watched === undefined) return
    const { board, items, still } = watched
    for (const item of items) {
      if (!cli.json && !shown.has(item.id)) sayItem(item, note)
      shown.add(item.id)
    }
    if (runIsOver(board.run.status)) over.resolve(exits.ok)
    else if (still || isStill(board.run)) over.resolve(exits.needsHuman)
  }

  watched = await watchRun(cli, client, run.id, {
    changed,
    first: (board) => void (cli.json || noteBoard(board)),
    event: (event) => void (cli.json || noteEvent(event, watched?.board, heard)),
  })
  changed()
  const interrupted = (): void => over.resolve(exits.failed)
  process.once('SIGINT', interrupted)
  watched.ended.catch(over.reject)
  try {
    const exit = await over.promise
    if (exit !== exits.failed) await watched.look()
    return concluded(cli, watched, exit)
  } finally {
    process.off('SIGINT', interrupted)
    watched.close()
  }
}

function concluded(cli: Cli, { board, items, still }: WatchedRun, exit: Exit): Exit {
  if (exit === exits.ok) return sayResult(cli, board)
  if (cli.json) sayJson({ ...board.run, inbox: items.map(({ id }) => id) })
  else {
    note(
      exit !== exits.needsHuman
        ? 'It goes on in the server.'
        : still
          ? NOTHING_BEGINS
          : whatHelps(board.run, items.length),
    )
    note(wayBack(board.run))
  }
  return exit
}

function whatHelps(run: Run, asked: number): string {
  if (asked > 0 && run.status !== 'paused') return 'Once answered it goes on by itself.'
  const how = run.status === 'paused' ? 'resume' : 'send'
  return asCalled(`${run.reason ?? `It is ${run.status}.`}\nGo on: ${troupe} runs ${how} ${shortRun(run)}`)
}

/** Nothing goes on before a person acts. */
const isStill = ({ status }: Run): boolean => status === 'waiting' || status === 'paused'

/** What the events told of nodes: the board that was read last may not know it yet. */
interface Heard {
  readonly titles: Map<string, string>
  readonly givenTo: Map<string, string>
}

const WIDTH = 110

/** What was on the board before anybody looked, a line for each node as it stands. */
function noteBoard({ nodes }: Board): void {
  for (const { title, status, worker, assignedAt, reason } of nodes) {
    const given = status === 'pending' && assignedAt !== undefined
    const at = given || status === 'processing' || status === 'waiting' ? ` (${worker})` : ''
    const why = status === 'failed' || status === 'canceled' || status === 'blocked' ? ` is ${status}: ${reason}` : ''
    note(oneLine(`${given ? marks.processing : marks[status]} ${title}${at}${why}`, WIDTH))
  }
}

/** What comes of these has a line of its own. */
const told = new Set(['create_work_node', 'spawn_worker', 'start_stage', 'suggest_next', 'finish'])

function noteEvent(event: Event, board: Board | undefined, { titles, givenTo }: Heard): void {
  const nodeTitle = (id: string): string => titles.get(id) ?? board?.nodes.find((node) => node.id === id)?.title ?? id
  const worker = (): string | undefined =>
    givenTo.get(event.nodeId ?? '') ?? board?.workers.find(({ sessionId }) => sessionId === event.sessionId)?.name
  const who = (): string => (event.sessionId === board?.run.sessionId ? board?.run.agent : worker()) ?? 'a worker'
  const handlers: EventHandlers<string> = {
    'node.created': ({ nodeId, title }) => {
      titles.set(nodeId, title)
      return `○ ${title}`
    },
    'node.assigned': ({ nodeId, worker: name }) => {
      givenTo.set(nodeId, name)
      return `▸ ${nodeTitle(nodeId)} (${name})`
    },
    'node.suggested': ({ worker: name, suggestion }) => `· ${name} suggests: ${suggestion}`,
    'node.finished': ({ nodeId }) => `✓ ${nodeTitle(nodeId)}`,
    'node.failed': ({ nodeId, reason }) => `✗ ${nodeTitle(nodeId)}: ${reason}`,
    'node.canceled': ({ nodeId, reason }) => `– ${nodeTitle(nodeId)} is canceled: ${reason}`,
    'node.blocked': ({ nodeId, reason }) => `– ${nodeTitle(nodeId)} is blocked: ${reason}`,
    'node.checkpointed': ({ nodeId, summary }) => `· ${nodeTitle(nodeId)}: ${summary}`,
    'worker.spawned': ({ name, agent }) => `+ ${name} (${agent})`,
    'stage.started': ({ name }) => `── ${name}`,
    'tool.started': ({ name, preview }) => (told.has(name) ? '' : `  ${who()} ${previewLine(name, preview)}`),
    'run.titled': ({ title }) => `run is called: ${title}`,
    'run.status': ({ to, reason }) => `run ${to}${reason ? `: ${reason}` : ''}`,
  }
  const line = handleEvent(handlers, event)
  if (line) note(line.startsWith('  ') ? `  ${oneLine(line, WIDTH)}` : oneLine(line, WIDTH))
}
