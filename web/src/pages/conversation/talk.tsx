import type { ReactNode } from 'react'
import type { Mail } from '../../../../src/contract/mail.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { now } from '../../live/clock.ts'
import { Dock } from '../../parts/dock.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { byUrgency, needsMe, useInbox } from '../../state/inbox.ts'
import type { LiveLog } from '../../state/live-log.ts'
import { useSessions } from '../../state/sessions.ts'
import type { SessionCommand } from './commands.ts'
import { Composer } from './composer.tsx'
import { Stream } from './stream.tsx'

/** A conversation with its dock and composer. */
export function Talk({
  session,
  live,
  commands,
}: {
  session: Session
  live: LiveLog
  commands: readonly SessionCommand[]
}): ReactNode {
  const { value: log, failure, put, refresh } = live
  return (
    <>
      {log ? (
        <Stream key={session.id} session={session} live={live} log={log} />
      ) : (
        <div className="stream">
          <div className="col">{failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}</div>
        </div>
      )}
      <Write session={session} commands={commands} put={put} />
    </>
  )
}

/** What is asked, and where one writes. */
export function Write({
  session,
  commands,
  put,
}: {
  session: Session
  commands: readonly SessionCommand[]
  put: LiveLog['put']
}): ReactNode {
  const items = useAsked(session)
  const accepted = (content: string, id: string, outcome: string) => {
    if (outcome === 'answered') return
    const mail = {
      ...{ id, content, outcome: outcome as Mail['outcome'] },
      ...{ from: { kind: 'human' as const }, createdAt: new Date(now()).toISOString() },
    }
    put((log) =>
      log.read.includes(id) || log.waiting.some((one) => one.id === id)
        ? log
        : { ...log, waiting: [...log.waiting, mail] },
    )
  }
  return (
    <div className="talk-foot">
      <div className="col">
        <Dock items={items} />
        <Composer
          session={session}
          commands={commands
            .filter(({ asks }) => asks === undefined)
            .map(({ name, about, act }) => ({ insert: `/${name}`, label: `/${name}`, about, act }))}
          accepted={accepted}
        />
      </div>
    </div>
  )
}

/** What waits for the person here: its own items first, then those of its run or of what it made. */
function useAsked(session: Session) {
  const open = (useInbox().value ?? []).filter(needsMe)
  const near = new Set<string>(
    (useSessions().value ?? [])
      .filter(({ runId, parentSessionId }) =>
        session.runId !== undefined && session.worker === undefined
          ? runId === session.runId
          : parentSessionId === session.id,
      )
      .map(({ id }) => id),
  )
  const isOf = (ids: ReadonlySet<string>) => (item: (typeof open)[number]) =>
    item.waits.some(({ sessionId }) => ids.has(sessionId)) || ids.has(item.from.sessionId ?? '')
  const own = open.filter(isOf(new Set([session.id]))).toSorted(byUrgency)
  return [...own, ...open.filter((item) => !own.includes(item) && isOf(near)(item)).toSorted(byUrgency)]
}
