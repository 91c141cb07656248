import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import type { Log } from '../../state/log.ts'
import { Changed } from './changed.tsx'
import { CloseDetails } from './close-details.tsx'
import { Context } from './context.tsx'
import type { Details } from './details.ts'
import { Spent } from './spent.tsx'
import { Team } from './team.tsx'
import { Todos } from './todos.tsx'

/** Beside a conversation: what it plans, who works on it, what it changed, what fills its window, what it cost. */
export function Panel({
  session,
  log,
  details,
}: {
  session: Session
  log: Log | undefined
  details: Details
}): ReactNode {
  return (
    <aside className={`panel talk${details.over ? ' over' : ''}`} aria-label="Details">
      {details.over && <CloseDetails details={details} />}
      <Todos session={session.id} />
      <Team session={session} />
      {log && <Changed messages={log.messages} />}
      <Context session={session} />
      <Spent session={session} log={log} />
    </aside>
  )
}
