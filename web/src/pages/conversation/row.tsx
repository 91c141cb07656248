import { memo, type ReactNode } from 'react'
import type { TextSoFar } from '../../../../src/client/writing.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { clock, money, Took } from '../../parts/figures.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Avatar, Handle } from '../../parts/small.tsx'
import type { Waiting } from '../../state/log.ts'
import type { Row, WritingRow } from '../../state/rows.ts'
import { Reasoning } from './reasoning.tsx'
import { Said } from './said.tsx'
import { SpokenView } from './spoken.tsx'

/** One thing in a conversation. */
export const RowView = memo(function RowView({ row, session }: { row: Row; session: Session }): ReactNode {
  return <div className="col">{draw(row, session)}</div>
})

function draw(row: Row, session: Session): ReactNode {
  switch (row.kind) {
    case 'said':
      return <Said message={row.message} session={session} />
    case 'spoken':
      return <SpokenView spoken={row.spoken} session={session} />
    case 'writing':
      return <WritingView row={row} session={session} />
    case 'waiting':
      return <WaitingView mail={row.mail} />
    case 'new':
      return (
        <div className="event new">
          {row.count} new since {clock(row.since)}
        </div>
      )
    case 'remark':
      return (
        <div className={`event${row.remark.kind === 'failed' ? ' bad' : ''}`} title={row.remark.text}>
          <span className="wrap">
            {row.remark.text} · {clock(row.at)}
          </span>
        </div>
      )
  }
}

/** What the agent writes right now. */
function WritingView({ row: { writing, since, first }, session }: { row: WritingRow; session: Session }): ReactNode {
  const name = session.worker ?? session.agent
  const { text, reasoning } = writing
  return (
    <article className="msg" aria-busy="true" aria-label={`${name} writes`}>
      {first ? <Avatar name={name} star={isCoordinator(session)} /> : <span />}
      <div>
        {first && (
          <div className="msg-h">
            <b>{name}</b>
            <span>now</span>
            <span className="right">
              <Took since={since} />
            </span>
          </div>
        )}
        {reasoning.text && <Reasoning text={wholeOf(reasoning)} live={text.text === ''} since={since} />}
        {text.text && (
          <div className="txt live">
            <Markdown text={wholeOf(text)} />
          </div>
        )}
      </div>
    </article>
  )
}

const wholeOf = ({ missing, text }: TextSoFar): string => (missing > 0 ? `… ${text}` : text)

export const isCoordinator = ({ runId, worker }: Session): boolean => runId !== undefined && worker === undefined

/** Accepted, and not read by the agent yet. */
function WaitingView({ mail: { from, content, outcome, createdAt } }: { mail: Waiting }): ReactNode {
  const when =
    outcome === 'held'
      ? 'queued: read after this turn'
      : outcome === 'suppressed'
        ? 'suppressed: it wakes nobody'
        : 'waits for a safe point'
  return (
    <article className="mail waiting">
      <div className="mail-h">
        <Avatar name={from.agent ?? from.kind} you={from.kind === 'human'} small />
        <b>{from.kind === 'human' ? 'you' : (from.agent ?? from.kind)}</b>
        {from.handle && <Handle handle={from.handle} />}
        <span>
          {clock(createdAt)} · {when}
        </span>
      </div>
      <div className="mail-b">
        <Markdown text={content} />
      </div>
    </article>
  )
}

/** What it cost and how long it took, where that is known. */
export const spentOn = (costUsd: number | undefined, durationMs: number | undefined, took: (ms: number) => string) =>
  [costUsd !== undefined && money(costUsd), durationMs ? took(durationMs) : ''].filter(Boolean).join(' · ')
