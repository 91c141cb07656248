import { useEffect, useRef, useState } from 'react'
import { isEvent } from '../../../../src/contract/event-handlers.ts'
import type { Event } from '../../../../src/contract/events.ts'
import type { Mail } from '../../../../src/contract/mail.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { server } from '../../live/server.ts'
import { type BoardView, memberOf } from './view.ts'

/** A message on its way from one node to another, and then at rest beside its way. */
export interface Travelling {
  readonly id: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly who: string
  readonly whom: string
  readonly text: string
  readonly at: string
  /** How many more came than are shown. */
  readonly more: number
}

const TRAVEL_AND_REST_MS = 4600
const MOST = 3
const READ = 30

/** The messages between members that came just now. */
export function useTravelling(
  view: BoardView | undefined,
  events: readonly Event[] | undefined,
): readonly Travelling[] {
  const [shown, setShown] = useState<readonly Travelling[]>([])
  const read = useRef<number>(undefined)
  const latest = useRef(view)
  latest.current = view
  useEffect(() => {
    if (events === undefined) return
    const from = read.current ?? events.length
    read.current = events.length
    const ids = events.slice(from).flatMap((event) => (isMail(event) ? [event.data.mailId as string] : []))
    const board = latest.current
    if (ids.length === 0 || board === undefined || !board.live) return
    const show = async () => {
      const params = { id: board.board.run.id }
      const { items } = await server.call('GET /api/runs/{id}/messages', { params, query: { limit: READ } })
      const mails = items.filter(({ id }) => ids.includes(id)).reverse()
      const way = mails.flatMap((mail) => travelling(latest.current ?? board, mail))
      if (way.length === 0) return
      setShown((now) => crowded([...now, ...way]))
      const gone = new Set(way.map(({ id }) => id))
      setTimeout(() => setShown((now) => now.filter(({ id }) => !gone.has(id))), TRAVEL_AND_REST_MS)
    }
    // What cannot be read is only not shown here; the list of messages says why.
    show().catch(() => {})
  }, [events])
  return shown
}

/** What the run itself writes is the spec of a node, which the board shows anyway. */
const isMail = (event: Event) => isEvent(event, 'mail.accepted') && event.data.from !== 'system'

function crowded(all: readonly Travelling[]): readonly Travelling[] {
  const last = all.slice(-MOST)
  const more = all.length - last.length + (all[0]?.more ?? 0)
  return last.map((one, at) => (at === 0 ? { ...one, more } : one))
}

function travelling(view: BoardView, { id, from, sessionId, content, createdAt }: Mail): Travelling[] {
  const [start, end] = [nodeOf(view, from.sessionId), nodeOf(view, sessionId)]
  if (start === undefined && end === undefined) return []
  const who = from.kind === 'human' ? 'you' : memberOf(view, from.sessionId)
  const whom = memberOf(view, sessionId)
  return [{ id, from: start?.id, to: end?.id, who, whom, text: content.slice(0, 240), at: createdAt, more: 0 }]
}

/** The node that a member works on, or worked on last. */
function nodeOf({ board }: BoardView, sessionId: string | undefined): Node | undefined {
  const worker = board.workers.find((one) => one.sessionId === sessionId)
  if (sessionId === undefined || worker === undefined) return undefined
  const own = board.nodes.filter((node) => node.worker === worker.name && node.startedAt !== undefined)
  return board.nodes.find(({ id }) => id === worker.nodeId) ?? own.toSorted(byStart).at(-1)
}

const byStart = (a: Node, b: Node): number => a.startedAt!.localeCompare(b.startedAt!)
