import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { Button, Empty } from '../../parts/small.tsx'
import type { LiveLog } from '../../state/live-log.ts'
import { type Log, writingSince } from '../../state/log.ts'
import { type Came, type Row, rowsOf } from '../../state/rows.ts'
import { useKeptAtEnd, useUnseen } from './at-end.ts'
import { useFind } from './find.ts'
import { FindBar } from './find-bar.tsx'
import { useMarked } from './marked.ts'
import { RowView } from './row.tsx'
import { useShown } from './shown.ts'

/** So near to the end counts as being there: what is new is followed. */
const NEAR = 64
/** So near to the beginning older messages are fetched. */
const EARLY = 1500

/** The conversation, newest below. It follows what is new unless the person has scrolled up. */
export function Stream({ session, live, log }: { session: Session; live: LiveLog; log: Log }): ReactNode {
  const [came] = useState<Came>({ readSeq: session.readSeq, newest: log.newest })
  const rows = useRows(log, came)
  if (rows.length === 0) return <Nothing session={session} />
  return <Rows rows={rows} session={session} log={log} older={live.older} />
}

function Rows({
  rows,
  session,
  log,
  older,
}: {
  rows: readonly Row[]
  session: Session
  log: Log
  older: () => void
}): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [end, setEnd] = useState(true)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (at) => estimate(rows[at]),
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR,
    paddingStart: 16,
    paddingEnd: 16,
  })
  useKeptAtEnd(box, end, () => list.scrollToEnd())
  const find = useFind(session.id, log.newest)
  const foundAt = useShown(find.target, rows, log, older, (at) => list.scrollToIndex(at, { align: 'center' }))
  useMarked(box, find.open ? find.text.trim() : '')
  const unseen = useUnseen(session, log, end)
  const newAt = rows.findIndex(({ kind }) => kind === 'new')
  const items = list.getVirtualItems()
  const newIsAbove = newAt >= 0 && (list.range?.startIndex ?? 0) > newAt
  const onScroll = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!
    setEnd(scrollHeight - scrollTop - clientHeight < NEAR)
    if (scrollTop < EARLY) older()
  }
  return (
    <div className="stream-frame">
      {find.open && <FindBar find={find} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div className="stream" ref={box} onScroll={onScroll} tabIndex={0} role="log" aria-label="Conversation">
        <div className="stream-all" style={{ height: list.getTotalSize() }}>
          {items.map(({ key, index, start }) => (
            <div
              key={key}
              className={`stream-row${index === foundAt ? ' found' : ''}`}
              data-index={index}
              ref={list.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowView row={rows[index]!} session={session} />
            </div>
          ))}
        </div>
      </div>
      {newIsAbove && (
        <Button small className="jump up" icon="up" onClick={() => list.scrollToIndex(newAt, { align: 'start' })}>
          Jump to unread
        </Button>
      )}
      {!end && (
        <Button small className="jump down" icon="down" onClick={() => list.scrollToEnd()}>
          {unseen > 0 ? `${unseen} new` : 'To the end'}
        </Button>
      )}
    </div>
  )
}

/** The rows of the log, which change rarely, and below them those that change with every word. */
function useRows(log: Log, came: Came): readonly Row[] {
  const { messages, remarks, calls, writing, waiting } = log
  const settled = useMemo(() => rowsOf({ messages, remarks, calls }, came), [messages, remarks, calls, came])
  return useMemo(() => {
    const first = settled.at(-1)?.kind !== 'spoken'
    const since = writingSince({ messages })
    // An answer is not drawn above what it answers: the body of that may still be on its way.
    const next = writing !== undefined && (messages.at(-1)?.seq ?? 0) >= writing.seq - 1
    const live: Row[] = next ? [{ kind: 'writing', key: 'writing', writing, since, first }] : []
    return [...settled, ...live, ...waiting.map((mail): Row => ({ kind: 'waiting', key: mail.id, mail }))]
  }, [settled, messages, writing, waiting])
}

/** Near enough for the scroll bar; what is drawn is measured. */
function estimate(row: Row | undefined): number {
  if (row?.kind === 'remark' || row?.kind === 'new') return 32
  if (row?.kind !== 'spoken') return 72
  return 40 + 22 * Math.ceil(row.spoken.text.length / 95) + (row.spoken.calls.length > 0 ? 30 : 0)
}

const Nothing = ({ session }: { session: Session }): ReactNode => (
  <div className="stream">
    <div className="col">
      <Empty title={`Nothing was said here yet.`}>
        Write below what {session.worker ?? session.agent} shall do. <code>@</code> names agents and files,{' '}
        <code>/</code> starts a skill.
      </Empty>
    </div>
  </div>
)
