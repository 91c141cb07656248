import type { RunMoment } from '../../../../src/client/moment.ts'
import type { Node, Worker } from '../../../../src/contract/runs.ts'
import { duration, money } from '../../parts/figures.tsx'
import { type Standing, standingOfNode } from '../../state/standing.ts'

/** What of a run is shown: its board and what its members do, now or at a moment that has passed. */
export interface BoardView extends RunMoment {
  readonly live: boolean
  /** By session. */
  readonly handles: ReadonlyMap<string, string>
  /** The time up to which things have taken. */
  readonly now: number
}

export const workerOf = ({ board }: BoardView, node: Node): Worker | undefined =>
  board.workers.find(({ name }) => name === node.worker)

/** Its worker waits for the person, at this very node. */
export function asksYou(view: BoardView, node: Node): boolean {
  const worker = workerOf(view, node)
  return worker?.nodeId === node.id && worker.sessionId !== undefined && view.asking.has(worker.sessionId)
}

export const standingIn = (view: BoardView, node: Node): Standing => standingOfNode(node, asksYou(view, node))

/** One sentence about what a node does, or how it ended. */
export function sentenceOf(view: BoardView, node: Node): string {
  if (asksYou(view, node)) return ['asks you', ...lasting(view.now - Date.parse(node.updatedAt))].join(' · ')
  const because = node.reason ? `: ${node.reason}` : ''
  switch (node.status) {
    case 'finished':
      return node.partial ? `partial${because}` : `done${tookIn(view, node)}`
    case 'processing': {
      const sessionId = workerOf(view, node)?.sessionId
      return (sessionId && view.doing.get(sessionId)) || 'begins'
    }
    case 'waiting':
      return node.reason ?? 'waits'
    case 'pending':
      return pendingBecause(view, node)
    default:
      return `${node.status}${because}`
  }
}

const lasting = (ms: number): string[] => (ms < 1000 ? [] : [duration(ms)])

function tookIn(view: BoardView, node: Node): string {
  const took = tookOf(view, node)
  return took === undefined ? '' : ` in ${duration(took)}`
}

/** How long it has been worked on, in milliseconds. */
export function tookOf(view: BoardView, { startedAt, finishedAt }: Node): number | undefined {
  if (startedAt === undefined) return undefined
  return Math.max(0, (finishedAt === undefined ? view.now : Date.parse(finishedAt)) - Date.parse(startedAt))
}

function pendingBecause({ board }: BoardView, node: Node): string {
  const open = board.nodes.filter(({ id, status }) => node.dependsOn.includes(id) && status !== 'finished').length
  if (open > 0) return `pending: ${open} ${open === 1 ? 'node' : 'nodes'} to go`
  return node.worker === undefined ? 'pending: no worker yet' : 'pending: begins next'
}

/** What a node cost so far; a dash before anything was spent on it. */
export function costIn({ spent }: BoardView, node: Node): string {
  const found = spent.get(node.id)
  return found === undefined ? '–' : money(found.usd, found.unpriced)
}

/** Who a session is in the run. */
export function memberOf({ board, handles }: BoardView, sessionId: string | undefined): string {
  if (sessionId === board.run.sessionId) return 'coordinator'
  const worker = board.workers.find((one) => one.sessionId === sessionId)
  return worker?.name ?? handles.get(sessionId ?? '') ?? 'somebody'
}

export const isOver = (status: string): boolean => ['finished', 'failed', 'stopped'].includes(status)
