import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef } from 'react'
import { isEvent } from '../../../../src/contract/event-handlers.ts'
import type { Board } from '../../../../src/contract/runs.ts'
import { clockSeconds } from '../../parts/figures.tsx'
import { Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useHistory } from '../../state/history.ts'
import { happened } from './happened.ts'

const ROW = 28

/** All that happened in a run, in words, the newest first. */
export function RunFeed({ board: { run, nodes, workers } }: { board: Board }): ReactNode {
  const { value: history, failure, refresh } = useHistory(run.id)
  const [{ only = '' }, put] = useAddress()
  const lines = useMemo(() => {
    const names = new Map(workers.map(({ sessionId, name }) => [sessionId as string | undefined, name]))
    const titles = new Map(nodes.map(({ id, title }) => [id as string, title]))
    const handles = new Map<string | undefined, string>()
    const nameOf = (id: string | undefined) =>
      names.get(id as never) ?? (id === run.sessionId ? 'coordinator' : (handles.get(id) ?? ''))
    const all = (history?.events ?? []).flatMap((event) => {
      if (isEvent(event, 'session.created')) handles.set(event.sessionId, event.data.handle)
      const line = happened(event, nameOf)
      return line ? [{ ...line, type: event.type, node: titles.get(event.nodeId ?? '') }] : []
    })
    return all.reverse()
  }, [history, nodes, workers, run.sessionId])
  const shown = lines.filter(({ text, type, node }) =>
    `${text} ${type} ${node}`.toLowerCase().includes(only.toLowerCase()),
  )
  const box = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 20,
  })
  if (history === undefined)
    return <div className="pad">{failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={8} />}</div>
  return (
    <div className="run-feed">
      <div className="feed-find">
        <input
          className="field"
          type="search"
          aria-label="Filter"
          placeholder="Filter"
          value={only}
          onChange={(event) => put({ only: event.target.value || undefined }, { replace: true })}
        />
        <span className="small mute num">
          {shown.length.toLocaleString('en')} of {history.events.length.toLocaleString('en')} events
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
      <section className="feed-rows" ref={box} aria-label="Events" tabIndex={0}>
        {shown.length === 0 ? (
          <Empty title="Nothing fits the filter">Clear it to see all that happened.</Empty>
        ) : (
          <ol style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start }) => {
              const { seq, at, text, aside, tone, node, type } = shown[index]!
              return (
                <li key={seq} style={{ transform: `translateY(${start}px)`, height: ROW }} title={type}>
                  <time className="num mute">{clockSeconds(at)}</time>
                  <span className={`cut grow ${tone ?? ''}`}>{text}</span>
                  {node && <span className="cut mute of-node">{node}</span>}
                  <span className="tiny mute num">{aside}</span>
                </li>
              )
            })}
          </ol>
        )}
      </section>
    </div>
  )
}
