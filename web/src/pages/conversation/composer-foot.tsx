import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { altKey, modKey } from '../../parts/mod-key.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { type How, resumeSession, stopTurn } from '../../state/session-acts.ts'

const isAtWork = ({ status }: Session): boolean => status === 'running' || status === 'waiting'

/** What can be done with the text and with the turn, as the session stands. */
export function ComposerFoot({
  session,
  armed,
  empty,
  sign,
  attach,
  submit,
}: {
  session: Session
  armed: boolean
  empty: boolean
  sign: (sign: '@' | '/') => void
  attach: () => void
  submit: (how: How) => void
}): ReactNode {
  const { id, status } = session
  const works = isAtWork(session)
  return (
    <div className={`foot${works ? ' works' : ''}`}>
      <Button look="ghost" icon="at" aria-label="Mention" onClick={() => sign('@')} />
      <Button look="ghost" icon="slash" aria-label="Skill or command" onClick={() => sign('/')} />
      <Button look="ghost" icon="clip" aria-label="Attach a file" onClick={attach} />
      <span className="grow" />
      {works && (
        <Button look="danger" icon="stop" keys="Esc" onClick={() => attempt(() => stopTurn(id))}>
          {armed ? 'Again' : 'Stop'}
        </Button>
      )}
      {status === 'paused' && (
        <Button icon="play" onClick={() => attempt(() => resumeSession(id))}>
          Resume
        </Button>
      )}
      {works && (
        <Button
          icon="bolt"
          className="in-turn"
          title="Interrupt"
          keys={modKey('↵')}
          disabled={empty}
          onClick={() => submit('interrupt')}
        >
          Interrupt
        </Button>
      )}
      {(works || status === 'paused') && (
        <Button icon="queue" keys={altKey('↵')} disabled={empty} onClick={() => submit('queue')}>
          Queue
        </Button>
      )}
      <Button look="primary" icon="send" keys="↵" disabled={empty} onClick={() => submit('send')}>
        Send
      </Button>
    </div>
  )
}

/** What Enter does here, or what has just happened. */
export function Hint({
  session,
  sending,
  armed,
  empty,
}: {
  session: Session
  sending: boolean
  armed: boolean
  empty: boolean
}): ReactNode {
  const name = session.worker ?? session.agent
  return (
    <p className="hint">
      {sending ? (
        <span role="status">The server is away: this is sent when it is back.</span>
      ) : armed ? (
        <span role="status">Esc again stops {name}.</span>
      ) : isAtWork(session) ? (
        <>
          <span>Send: read at the next safe point.</span>
          <span>Queue: after this turn.</span>
          <span>Interrupt: now, the step ends.</span>
        </>
      ) : session.status === 'closed' ? (
        <span>Closed; a message opens it again.</span>
      ) : (
        <span>Enter sends, Shift Enter begins a line.</span>
      )}
      {!empty && <span className="right">draft kept</span>}
    </p>
  )
}
