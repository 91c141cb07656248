import '../../styles/feed.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { type Kind, kinds, useFeed } from '../../state/feed.ts'
import { useRuns } from '../../state/runs.ts'
import { useSessions } from '../../state/sessions.ts'
import { EventLine } from './line.tsx'

/** The record of everything, newest last, growing at its end. */
export function Feed(): ReactNode {
  const [{ kinds: chosen = '', session, run }, put] = useAddress()
  const wanted = chosen.split(',').filter((kind): kind is Kind => kind in kinds)
  const { value, failure, refresh } = useFeed({ kinds: wanted, session, run })
  const toggle = (kind: Kind) => {
    const next = wanted.includes(kind) ? wanted.filter((one) => one !== kind) : [...wanted, kind]
    put({ kinds: next.join(',') }, { replace: true })
  }
  const filtered = wanted.length > 0 || session !== undefined || run !== undefined
  const clear = () => put({ kinds: undefined, session: undefined, run: undefined })
  return (
    <Page
      title="Feed"
      className="feed-page"
      aside={value && <span className="mute small num">{value.length.toLocaleString('en')} shown</span>}
      tabs={
        <div className="feed-filters">
          {(Object.keys(kinds) as Kind[]).map((kind) => (
            <button
              key={kind}
              type="button"
              className={`btn sm ${wanted.includes(kind) ? 'on' : 'ghost'}`}
              aria-pressed={wanted.includes(kind)}
              onClick={() => toggle(kind)}
            >
              {kind}
            </button>
          ))}
          <Of session={session} run={run} put={put} />
          {filtered && (
            <Button small look="ghost" icon="x" onClick={clear}>
              Clear
            </Button>
          )}
        </div>
      }
    >
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton rows={10} />}
      {value?.length === 0 &&
        (filtered ? (
          <div className="pad-view">
            <Empty
              title="Nothing of this kind has happened."
              action={
                <Button small onClick={clear}>
                  Clear the filter
                </Button>
              }
            />
          </div>
        ) : (
          <div className="pad-view">
            <Empty title="Nothing has happened yet.">
              Every step of agents and people is written here as it happens.
            </Empty>
          </div>
        ))}
      {value && value.length > 0 && <List key={`${chosen} ${session} ${run}`} events={value} />}
    </Page>
  )
}

/** Of one session or one run. */
function Of({
  session,
  run,
  put,
}: {
  session: string | undefined
  run: string | undefined
  put: (change: Record<string, string | undefined>) => void
}): ReactNode {
  const sessions = useSessions().value ?? []
  const runs = useRuns().value ?? []
  return (
    <select
      className="field quiet feed-of"
      aria-label="Of one session or run"
      value={run ? `run ${run}` : session ? `session ${session}` : ''}
      onChange={({ target }) => {
        const [kind, id] = target.value.split(' ')
        put({ session: kind === 'session' ? id : undefined, run: kind === 'run' ? id : undefined })
      }}
    >
      <option value="">everybody</option>
      <optgroup label="Runs">
        {runs.map(({ id, title }) => (
          <option key={id} value={`run ${id}`}>
            {title}
          </option>
        ))}
      </optgroup>
      <optgroup label="Sessions">
        {sessions.map(({ id, worker, agent, title }) => (
          <option key={id} value={`session ${id}`}>
            {worker ?? agent}: {title}
          </option>
        ))}
      </optgroup>
    </select>
  )
}

const ROW = 28
/** So near to the end, the list stays at the end when something is added. */
const NEAR = 60

function List({ events }: { events: readonly Event[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [atEnd, setAtEnd] = useState(true)
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (at) => events[at]!.seq,
    overscan: 20,
  })
  const toEnd = () => rows.scrollToIndex(events.length - 1, { align: 'end' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last event is what moves it
  useEffect(() => {
    if (atEnd) toEnd()
  }, [events.length, events.at(-1)?.seq])
  useKeys({ l: toEnd })
  const fold = (seq: string) => setOpen((before) => before.symmetricDifference(new Set([seq])))
  return (
    <div
      ref={box}
      className="feed-list"
      role="log"
      aria-label="Events"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
        setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR)
      }
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="feed-item"
            style={{ transform: `translateY(${start}px)` }}
          >
            <EventLine event={events[index]!} open={open.has(events[index]!.seq)} toggle={fold} />
          </div>
        ))}
      </div>
      {!atEnd && (
        <Button small className="feed-end" icon="latest" keys="l" onClick={toEnd}>
          Newest
        </Button>
      )}
    </div>
  )
}
