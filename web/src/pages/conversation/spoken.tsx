import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { clock, duration } from '../../parts/figures.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Avatar } from '../../parts/small.tsx'
import type { Spoken } from '../../state/rows.ts'
import { CallGroup } from './calls.tsx'
import { MessageActs } from './message-acts.tsx'
import { Reasoning } from './reasoning.tsx'
import { isCoordinator, spentOn } from './row.tsx'

/** A text of the agent, what it thought before, and the calls that follow. */
export function SpokenView({ spoken, session }: { spoken: Spoken; session: Session }): ReactNode {
  const { first, message, text, reasoning, calls, costUsd, durationMs } = spoken
  const name = session.worker ?? session.agent
  return (
    <article className={`msg${first ? '' : ' on'}`} aria-label={`${name}, ${clock(message.createdAt)}`}>
      {first ? <Avatar name={name} star={isCoordinator(session)} /> : <span />}
      <div className="msg-all">
        {first && (
          <div className="msg-h">
            <b>{name}</b>
            <span title={message.createdAt}>{clock(message.createdAt)}</span>
            {message.editedAt && <span>edited</span>}
            <span className="right num" title={message.model}>
              {spentOn(costUsd, durationMs, duration)}
            </span>
          </div>
        )}
        {reasoning && <Reasoning text={reasoning} />}
        {text && (
          <div className="txt">
            <Markdown text={text} />
          </div>
        )}
        {message.interrupted && <p className="small mute">interrupted here</p>}
        {message.cut && <p className="small mute">cut at the limit of its length; the next message goes on with it</p>}
        {calls.length > 0 && <CallGroup calls={calls} />}
        <MessageActs message={message} text={text} session={session} />
      </div>
    </article>
  )
}
