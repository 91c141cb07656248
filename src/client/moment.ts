import { handleEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'
import { boardAtStart, boardEvents, foldBoard } from '../contract/fold-board.ts'
import type { Board, Run } from '../contract/runs.ts'
import { activityAfter, type CallInWords } from './activity.ts'

/** A run as it stood behind one of its events: its board, and what the events say beyond it. */
export interface RunMoment {
  readonly board: Board
  /** By node: what its worker spent on it. */
  readonly spent: ReadonlyMap<string, Spending>
  /** By session: what it does, in a line. */
  readonly doing: ReadonlyMap<string, string>
  /** The sessions that wait for the person. */
  readonly asking: ReadonlySet<string>
}

interface Spending {
  readonly usd: number
  /** Tokens whose price nobody knows. */
  readonly unpriced: number
}

const momentAtStart = (run: Run): RunMoment => ({
  board: boardAtStart(run),
  spent: new Map(),
  doing: new Map(),
  asking: new Set(),
})

const concerned: ReadonlySet<string> = new Set(boardEvents)

function foldMoment(moment: RunMoment, event: Event, inWords: CallInWords): RunMoment {
  const board = concerned.has(event.type) ? foldBoard(moment.board, event) : moment.board
  const { sessionId } = event
  const spent = spentAfter(moment.spent, event)
  if (sessionId === undefined) return { ...moment, board, spent }
  const line = activityAfter(event, inWords)
  const doing = line === undefined ? moment.doing : changed(moment.doing, sessionId, line)
  return { board, spent, doing, asking: askingAfter(moment.asking, event, sessionId) }
}

function changed(doing: RunMoment['doing'], sessionId: string, line: string | null): RunMoment['doing'] {
  const next = new Map(doing)
  if (line === null) next.delete(sessionId)
  else next.set(sessionId, line)
  return next
}

function spentAfter(spent: RunMoment['spent'], event: Event): RunMoment['spent'] {
  const used = handleEvent<Used>({ 'message.appended': (data) => data, 'model.settled': (data) => data }, event)
  if (used?.tokens === undefined || event.nodeId === undefined) return spent
  const { usd, unpriced } = spent.get(event.nodeId) ?? { usd: 0, unpriced: 0 }
  const more = used.costUsd === undefined ? used.tokens.input + used.tokens.output : 0
  return new Map(spent).set(event.nodeId, { usd: usd + (used.costUsd ?? 0), unpriced: unpriced + more })
}

interface Used {
  readonly tokens?: { readonly input: number; readonly output: number } | undefined
  readonly costUsd?: number | undefined
}

function askingAfter(asking: RunMoment['asking'], event: Event, sessionId: string): RunMoment['asking'] {
  const asks = handleEvent<boolean>(
    {
      'call.parked': ({ inboxId }) => inboxId !== undefined,
      'call.resumed': () => false,
      'turn.ended': () => false,
    },
    event,
  )
  if (asks === undefined || asks === asking.has(sessionId)) return asking
  const next = new Set(asking)
  if (asks) next.add(sessionId)
  else next.delete(sessionId)
  return next
}

/** How far apart the moments are that are kept: going to any other folds at most so many events. */
const KEPT_EVERY = 250

/** Every moment of a run, by how many of its events have happened. */
export function momentsOf(run: Run, inWords: CallInWords): (events: readonly Event[], count: number) => RunMoment {
  const kept = [momentAtStart(run)]
  return (events, count) => {
    const wanted = Math.max(0, Math.min(count, events.length))
    const from = Math.min(Math.floor(wanted / KEPT_EVERY), kept.length - 1)
    let moment = kept[from]!
    for (let at = from * KEPT_EVERY; at < wanted; at += 1) {
      moment = foldMoment(moment, events[at]!, inWords)
      if ((at + 1) % KEPT_EVERY === 0) kept[(at + 1) / KEPT_EVERY] = moment
    }
    return moment
  }
}
