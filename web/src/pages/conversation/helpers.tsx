import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { money, Took } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { attempt, Button, Handle } from '../../parts/small.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { stopTurn } from '../../state/session-acts.ts'
import { useSessions } from '../../state/sessions.ts'
import { standingOfSession } from '../../state/standing.ts'

const SHOWN = 8

/** The sessions that work for a call, as they are now; `sessions` are ids or handles. */
export function Helpers({ sessions }: { sessions: readonly string[] }): ReactNode {
  const known = useSessions().value ?? []
  const asking = askers(useInbox().value)
  const own = known.filter(({ id, handle }) => sessions.includes(id) || sessions.includes(handle))
  return own.slice(0, SHOWN).map((one) => <Helper key={one.id} session={one} asking={asking} />)
}

function Helper({ session, asking }: { session: Session; asking: ReadonlySet<string> }): ReactNode {
  const standing = standingOfSession(session, asking)
  const works = session.status === 'running' || session.status === 'waiting'
  return (
    <div className={`helper ${works ? standing.tone : ''}`}>
      <div className="tool">
        <Glyph standing={standing} />
        <Link className="med" to="/sessions/$session" params={{ session: session.id }}>
          {session.worker ?? session.agent}
        </Link>
        <Handle handle={session.handle} />
        <span className="cut">{session.title}</span>
        <span className="ms">
          {works && <Took since={session.createdAt} />} {money(session.totalCostUsd, session.unpricedTokens)}
        </span>
        <Link
          className="btn ghost sm"
          to="/sessions/$session"
          params={{ session: session.id }}
          aria-label={`Open ${session.agent}`}
        >
          Open
        </Link>
        {works && (
          <Button
            look="ghost"
            small
            icon="stop"
            aria-label={`Stop ${session.agent}`}
            onClick={() => attempt(() => stopTurn(session.id))}
          />
        )}
      </div>
      {session.lastSnippet && works && <p className="helper-line cut">{session.lastSnippet}</p>}
    </div>
  )
}
