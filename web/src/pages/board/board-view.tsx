import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { momentsOf } from '../../../../src/client/moment.ts'
import { isEvent } from '../../../../src/contract/event-handlers.ts'
import type { Event } from '../../../../src/contract/events.ts'
import type { Board } from '../../../../src/contract/runs.ts'
import { now } from '../../live/clock.ts'
import { Empty } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { callInWords } from '../../state/call-words.ts'
import { useHistory } from '../../state/history.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { Graph } from './graph.tsx'
import { NodeDrawer } from './node-drawer.tsx'
import { NodeList } from './node-list.tsx'
import { Result } from './result.tsx'
import { Slider } from './slider.tsx'
import { useTravelling } from './travelling.ts'
import { isOver, type BoardView as View } from './view.ts'

/** The board as a graph or a list, a node beside it, and the slider below. */
export function BoardView({ board }: { board: Board }): ReactNode {
  const [{ node, view: how, at, result }, put] = useAddress()
  const history = useHistory(board.run.id).value
  const [moved, setMoved] = useState<number | undefined>(at === undefined ? undefined : Number(at) || 1)
  const view = useView(board, history?.events, moved)
  const mails = useTravelling(view, history?.events)
  const phone = useNarrow()
  const over = isOver(board.run.status)
  const address = useRef({ at, put })
  address.current = { at, put }
  useEffect(() => {
    // The address follows when the knob rests, so that playing does not fill it.
    const timer = setTimeout(() => {
      const next = moved === undefined ? undefined : String(moved)
      if (next !== address.current.at) address.current.put({ at: next }, { replace: true })
    }, 300)
    return () => clearTimeout(timer)
  }, [moved])
  const choose = (id: string | undefined) => put({ node: id }, { replace: true })
  const asList = how === 'list' || phone
  const open = view.board.nodes.find(({ id }) => id === node)
  const showsResult = over && open === undefined && result !== 'off' && view.live
  return (
    <div className="split">
      <div className="board-main">
        {showsResult && phone && <Result board={board} />}
        {view.board.nodes.length === 0 ? (
          <div className="graph none">
            <Empty title={over ? 'This run made no nodes' : 'No nodes yet'}>
              {over
                ? 'Its coordinator did the work by itself. What it said is in its conversation.'
                : board.run.status === 'working'
                  ? 'The coordinator thinks about the goal. The first nodes appear here as it makes them.'
                  : (board.run.reason ?? 'The run stands still. Resume it, or write to its coordinator.')}
            </Empty>
          </div>
        ) : asList ? (
          <NodeList view={view} chosen={node} choose={choose} />
        ) : (
          <Graph view={view} chosen={node} choose={choose} mails={mails} />
        )}
        {history && !phone && (
          <Slider events={history.events} cut={history.cut} over={over} count={moved} setCount={setMoved} />
        )}
      </div>
      {open && <NodeDrawer view={view} node={open} events={history?.events ?? []} close={() => choose(undefined)} />}
      {showsResult && !phone && <Result board={board} close={() => put({ result: 'off' })} />}
    </div>
  )
}

/** The run now, or as it stood behind so many of its events. */
function useView(board: Board, events: readonly Event[] | undefined, count: number | undefined): View {
  const asking = askers(useInbox().value)
  const { id } = board.run
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changes of a run is in its events
  const moments = useMemo(() => momentsOf(board.run, callInWords), [id])
  const handles = useMemo(() => handlesIn(events ?? []), [events])
  const now = useClock(count === undefined && !isOver(board.run.status))
  const moment = useMemo(() => moments(events ?? [], count ?? Number.POSITIVE_INFINITY), [moments, events, count])
  const shown = events?.[Math.min(count ?? events.length, events.length) - 1]
  const then = shown === undefined ? 0 : Date.parse(shown.at)
  if (count === undefined || events === undefined)
    return { ...moment, board, asking, handles, live: true, now: Math.max(now, then) }
  return { ...moment, handles, live: false, now: then }
}

function handlesIn(events: readonly Event[]): ReadonlyMap<string, string> {
  const made = events.flatMap((event) =>
    isEvent(event, 'session.created') && event.sessionId ? [[event.sessionId, event.data.handle] as const] : [],
  )
  return new Map(made)
}

/** The time, every ten seconds: times on the board are short words. */
function useClock(running: boolean): number {
  const [at, setAt] = useState(now)
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setAt(now()), 10_000)
    return () => clearInterval(timer)
  }, [running])
  return at
}

const narrow = matchMedia('(max-width: 767px)')

function useNarrow(): boolean {
  const [is, setIs] = useState(narrow.matches)
  useEffect(() => {
    const onChange = () => setIs(narrow.matches)
    narrow.addEventListener('change', onChange)
    return () => narrow.removeEventListener('change', onChange)
  }, [])
  return is
}
