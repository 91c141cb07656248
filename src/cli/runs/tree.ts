import type { Board, Node, NodeStatus } from '../../contract/runs.ts'
import { cells, cut, padTo } from '../chat/cells.ts'
import { duration } from '../chat/duration.ts'
import { price } from '../print.ts'

/** What the tree is drawn from. */
export interface TreeView {
  readonly board: Board
  /** What a session does right now, in a line. */
  doing(sessionId: string | undefined): string | undefined
  /** The sessions that wait for the person. */
  readonly asking: ReadonlySet<string>
  readonly now: number
  readonly spinner: string
  /** The frame and what is printed line by line have each their own way to colour. */
  paint(how: Colour, text: string): string
}

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const MARGIN = '  '
const MOST_OF_TITLE = 0.4
const WORKER = 14
/** On a narrower screen there is no room for what each node cost. */
const COSTS_FROM = 80

/** The coordinator, the stages, and each node below the one that made it. What ended first makes room first. */
export function treeLines(view: TreeView, width: number, height: number): string[] {
  const { nodes } = view.board
  const rows = nodes.filter(({ parentNodeId }) => parentNodeId === undefined).flatMap((node) => branch(nodes, node, 0))
  const room = Math.max(3, height - 2 - view.board.stages.length)
  const shown = fitting(rows, room)
  const titles = Math.max(12, ...shown.map(({ node, depth }) => cells(node.title) + 2 * depth + 2))
  const columns = {
    title: Math.min(titles, Math.floor(width * MOST_OF_TITLE)),
    worker: Math.min(WORKER, Math.max(0, ...shown.map(({ node }) => cells(node.worker ?? '')))),
    cost: width < COSTS_FROM ? 0 : Math.max(0, ...shown.map(({ node }) => cells(costShown(node)))),
  }
  const hidden = rows.length - shown.length
  return [
    coordinatorLine(view, width),
    ...(hidden > 0 ? [view.paint('dim', `${MARGIN}${hidden} more`)] : []),
    ...shown.flatMap(({ node, depth }, at) => [
      ...stageHead(view, node, shown[at - 1]?.node, width),
      line(view, node, depth, columns, width),
    ]),
  ]
}

function coordinatorLine({ board: { run }, asking, doing, paint }: TreeView, width: number): string {
  const who = cut(`${run.agent} ${run.session}`, 40)
  const now = asking.has(run.sessionId) ? 'waits for you' : (doing(run.sessionId) ?? 'waits for news')
  const does = runIsOver(run.status) || run.status === 'paused' ? run.status : now
  return `${MARGIN}${paint('bold', who)} ${paint('dim', cut(does, width - cells(who) - MARGIN.length - 1))}`
}

interface Row {
  readonly node: Node
  readonly depth: number
}

const branch = (nodes: readonly Node[], node: Node, depth: number): Row[] => [
  { node, depth },
  ...nodes.filter(({ parentNodeId }) => parentNodeId === node.id).flatMap((below) => branch(nodes, below, depth + 1)),
]

/** What has ended goes first, the oldest of it; then what has not begun, the newest of it. */
function fitting(rows: readonly Row[], room: number): Row[] {
  const over = Math.max(0, rows.length - room)
  const ended = rows.filter(({ node }) => isEnded(node.status))
  const later = rows.filter(({ node }) => node.status === 'pending').reverse()
  const gone = new Set([...ended, ...later].slice(0, over))
  return rows.filter((row) => !gone.has(row)).slice(0, room)
}

const isEnded = (status: NodeStatus): boolean => ['finished', 'failed', 'canceled', 'blocked'].includes(status)

export const runIsOver = (status: Board['run']['status']): boolean => ['finished', 'failed', 'stopped'].includes(status)

function stageHead({ board, paint }: TreeView, node: Node, before: Node | undefined, width: number): string[] {
  if (node.stageId === undefined || node.stageId === before?.stageId) return []
  const stage = board.stages.find(({ id }) => id === node.stageId)
  return stage ? [paint('dim', `${MARGIN}${cut(`── ${stage.name} · ${stage.status}`, width - MARGIN.length)}`)] : []
}

interface Columns {
  readonly title: number
  readonly worker: number
  readonly cost: number
}

/** What has cost nothing, or what nobody knows, is left out. */
export const costShown = ({
  costUsd = 0,
}: {
  readonly id?: string
  readonly name?: string
  readonly costUsd?: number
}): string => (costUsd > 0 ? price(costUsd, 0) : '')

function line(view: TreeView, node: Node, depth: number, columns: Columns, width: number): string {
  const inset = '  '.repeat(depth)
  const title = padTo(cut(node.title, columns.title - inset.length - 2), columns.title - inset.length - 2)
  const worker = columns.worker === 0 ? '' : `${padTo(cut(node.worker ?? '', columns.worker), columns.worker)}  `
  const cost = columns.cost === 0 ? '' : `  ${padTo(costShown(node), columns.cost)}`
  const took = `${padTo(timeOf(node, view.now), 7)}${cost}`
  const fixed = `${MARGIN}${inset}x ${title}  ${worker}${took}  `
  const rest = cut(wordsFor(view, node), Math.max(8, width - cells(fixed)))
  const who = worker === '' ? '' : view.paint('bold', worker)
  return `${MARGIN}${inset}${mark(view, node)} ${title}  ${who}${view.paint('dim', `${took}  `)}${paintWords(view, node, rest)}`
}

export const marks: Record<NodeStatus, string> = {
  pending: '○',
  processing: '▸',
  waiting: '◌',
  finished: '✓',
  failed: '✗',
  canceled: '–',
  blocked: '–',
}

function mark(view: TreeView, node: Node): string {
  if (asks(view, node)) return view.paint('yellow', '?')
  if (node.status === 'processing') return view.paint('cyan', view.spinner)
  if (node.status === 'finished') return view.paint('green', marks.finished)
  return view.paint(node.status === 'failed' ? 'red' : 'dim', marks[node.status])
}

const paintWords = (view: TreeView, node: Node, words: string): string => {
  if (asks(view, node)) return view.paint('yellow', words)
  return view.paint(node.status === 'failed' ? 'red' : 'dim', words)
}

const sessionOf = ({ board }: TreeView, node: Node): string | undefined =>
  board.workers.find(({ name, nodeId }) => name === node.worker && nodeId === node.id)?.sessionId

const asks = (view: TreeView, node: Node): boolean => view.asking.has(sessionOf(view, node) ?? '')

function timeOf({ startedAt, finishedAt }: Node, now: number): string {
  if (startedAt === undefined) return ''
  return duration((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt))
}

function wordsFor(view: TreeView, node: Node): string {
  if (asks(view, node)) return 'waits for you'
  if (node.status === 'finished') return node.summary ?? ''
  if (node.status === 'processing') return view.doing(sessionOf(view, node)) ?? 'begins'
  if (node.status !== 'pending') return [node.status, node.reason].filter(Boolean).join(': ')
  const needed = view.board.nodes.filter(({ id, status }) => node.dependsOn.includes(id) && status !== 'finished')
  return needed.length > 0 ? `after ${needed.map(({ title }) => title).join(', ')}` : 'in line'
}
