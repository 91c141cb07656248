import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { useSessions } from '../../state/sessions.ts'
import { standingOfSession } from '../../state/standing.ts'

const MEMBERS = 30

/** The members of its run, or the sessions that it made. */
export function Team({ session }: { session: Session }): ReactNode {
  const known = useSessions().value ?? []
  const asking = askers(useInbox().value)
  const team =
    session.runId === undefined
      ? known.filter(({ parentSessionId }) => parentSessionId === session.id)
      : known.filter(({ runId }) => runId === session.runId)
  if (team.length === 0) return null
  const order = team.toSorted((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))
  const cost = team.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return (
    <section className="sec">
      <h2 className="sec-h">
        {session.runId === undefined ? 'Made by it' : 'Team'}
        <span className="right num">{money(cost)}</span>
      </h2>
      {order.slice(0, MEMBERS).map((one) => (
        <Link
          key={one.id}
          className="who"
          {...(one.runId !== undefined && one.worker !== undefined
            ? { to: '/runs/$run/workers/$worker', params: { run: one.runId, worker: one.worker } }
            : { to: '/sessions/$session', params: { session: one.id } })}
        >
          <Glyph standing={standingOfSession(one, asking)} />
          <span className={`cut grow${one.id === session.id ? ' med' : ''}`}>{one.worker ?? one.agent}</span>
          <span className="mute small num">{money(one.costUsd, one.unpricedTokens)}</span>
        </Link>
      ))}
    </section>
  )
}
