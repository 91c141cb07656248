import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { now } from '../../live/clock.ts'
import { clock, duration } from '../../parts/figures.tsx'
import { State } from '../../parts/icon.tsx'
import { standings } from '../../state/standing.ts'
import { useTriggers } from '../../state/triggers.ts'
import { Head } from './head.tsx'

const SHOWN = 4

/** What begins by itself next. */
export function Next(): ReactNode {
  const open = (useTriggers().value ?? []).filter(({ status }) => status === 'active' || status === 'paused')
  if (open.length === 0) return null
  const next = open.toSorted((a, b) => (a.nextAt ?? '9').localeCompare(b.nextAt ?? '9')).slice(0, SHOWN)
  return (
    <section aria-label="Next">
      <Head title="Next" to="/triggers" more="All triggers" keys={['g', 'r']} />
      <div className="card home-lines">
        {next.map(({ id, name, nextAt, status, type }) => (
          <Link key={id} className="li" to="/triggers" search={{ trigger: id }}>
            <time className="num">{nextAt ? clock(nextAt) : '–'}</time>
            <span className="cut grow">{name}</span>
            {status === 'paused' ? (
              <State standing={standings.paused} />
            ) : (
              <span className="small mute">
                {nextAt === undefined
                  ? 'at the event'
                  : type === 'heartbeat'
                    ? 'if something is new'
                    : `in ${duration(Date.parse(nextAt) - now())}`}
              </span>
            )}
          </Link>
        ))}
      </div>
    </section>
  )
}
