import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { sentenceOf } from '../../../../src/client/sentences.ts'
import type { Event } from '../../../../src/contract/events.ts'
import { clockSeconds, clockWhole } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRuns } from '../../state/runs.ts'
import { useSessions } from '../../state/sessions.ts'

/** One event: when, whose, what. Opens to its data. */
export const EventLine = memo(function EventLine({
  event,
  open,
  toggle,
}: {
  event: Event
  open: boolean
  toggle: (seq: string) => void
}): ReactNode {
  const session = useSessions().value?.find(({ id }) => id === event.sessionId)
  const run = useRuns().value?.find(({ id }) => id === event.runId)
  const who = session ? (session.worker ?? session.agent) : (run?.title ?? '')
  return (
    <>
      <button type="button" className="feed-row" aria-expanded={open} onClick={() => toggle(event.seq)}>
        <Icon name={open ? 'down' : 'right'} small />
        <time className="num mute feed-at" dateTime={event.at} title={clockWhole(event.at)}>
          {clockSeconds(event.at)}
        </time>
        <span className="cut feed-who">{who}</span>
        <span className={`mono tiny feed-type${isBad(event) ? ' bad' : ''}`}>{event.type}</span>
        <span className="cut grow">{sentenceOf(event)}</span>
      </button>
      {open && (
        <div className="feed-data">
          <pre className="cmd">{bounded(JSON.stringify(event.data, null, 2))}</pre>
          <span className="small">
            {event.sessionId && (
              <Link className="link" to="/sessions/$session" params={{ session: event.sessionId }}>
                Open the session
              </Link>
            )}{' '}
            {event.runId && (
              <Link className="link" to="/runs/$run" params={{ run: event.runId }}>
                Open the run
              </Link>
            )}
          </span>
        </div>
      )}
    </>
  )
})

const SHOWN = 20_000

const bounded = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} more characters` : text

const isBad = ({ type, data }: Event): boolean =>
  /failed|denied|exceeded|undeliverable|missed|blocked/.test(type) ||
  data.ok === false ||
  data.to === 'error' ||
  data.level === 'error'
