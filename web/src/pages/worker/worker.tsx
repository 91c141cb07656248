import '../../styles/conversation.css'
import '../../styles/worker.css'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Board, Worker } from '../../../../src/contract/runs.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { money, Took } from '../../parts/figures.tsx'
import { Badge } from '../../parts/icon.tsx'
import { attempt, Button, Empty, Failed, Handle, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { useLog } from '../../state/live-log.ts'
import { useBoard } from '../../state/runs.ts'
import { pauseSession, resumeSession, stopTurn } from '../../state/session-acts.ts'
import { useSession } from '../../state/sessions.ts'
import { standingOfWorker } from '../../state/standing.ts'
import { CloseDetails } from '../conversation/close-details.tsx'
import { useSessionCommands } from '../conversation/commands.ts'
import { useDetails } from '../conversation/details.ts'
import { Acts, Crumbs, RunLine } from '../conversation/header.tsx'
import { Stream } from '../conversation/stream.tsx'
import { Write } from '../conversation/talk.tsx'
import { Activity } from './activity.tsx'
import { Diff } from './diff.tsx'
import { Files } from './files.tsx'
import { Notebook } from './notebook.tsx'
import { Raw } from './raw.tsx'
import { WorkerTabs } from './tabs.tsx'
import { WhoAndWhat } from './who-and-what.tsx'

/** A member of a run: who it is, what it works on, what it did, what it handed over. */
export function WorkerPage(): ReactNode {
  const { run = '', worker: name = '' } = useParams({ strict: false }) as { run?: string; worker?: string }
  const { value: board, failure, refresh } = useBoard(run)
  const worker = board?.workers.find((one) => one.name === name)
  if (board && worker?.sessionId) return <Known key={name} board={board} worker={worker} id={worker.sessionId} />
  return (
    <Page title={name} className="pad">
      {failure ? (
        <Failed failure={failure} retry={refresh} />
      ) : board === undefined ? (
        <Skeleton rows={6} />
      ) : worker ? (
        <Empty title={`${name} has not begun.`}>Its conversation begins with its first node.</Empty>
      ) : (
        <Empty title={`There is no worker "${name}" in this run.`}>The board shows who is there.</Empty>
      )}
    </Page>
  )
}

function Known({ board, worker, id }: { board: Board; worker: Worker; id: string }): ReactNode {
  const { value: session, failure, refresh } = useSession(id)
  if (session) return <Shown board={board} worker={worker} session={session} />
  return (
    <Page title={worker.name} className="pad">
      {failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}
    </Page>
  )
}

function Shown({ board, worker, session }: { board: Board; worker: Worker; session: Session }): ReactNode {
  const details = useDetails()
  const live = useLog(session.id)
  const { tab = 'activity' } = useSearch({ strict: false }) as { tab?: string }
  const asking = askers(useInbox().value)
  const commands = useSessionCommands(session)
  const nodes = board.nodes.filter((node) => node.worker === worker.name)
  const log = live.value
  return (
    <Page
      title={
        <span className="name-line">
          <span className="cut">{worker.name}</span>
          <Handle handle={session.handle} />
          <Badge standing={standingOfWorker(worker, asking)} />
          <span className="phone-only name-under num">
            <RunLine run={board.run} />
          </span>
        </span>
      }
      crumbs={<Crumbs session={session} run={board.run} />}
      aside={
        <>
          <Facts nodes={nodes.length} session={session} />
          <Steer session={session} />
          <Acts session={session} commands={commands} details={details} finds={tab === 'conversation'} />
        </>
      }
      className="talk-page"
    >
      <div className="split">
        {!details.over && <WhoAndWhat board={board} worker={worker} session={session} nodes={nodes} />}
        <div className="talk-main">
          <WorkerTabs tab={tab} log={log} />
          {log === undefined ? (
            <div className="stream">
              {live.failure ? <Failed failure={live.failure} retry={live.refresh} /> : <Skeleton rows={6} />}
            </div>
          ) : tab === 'conversation' ? (
            <Stream session={session} live={live} log={log} />
          ) : tab === 'notebook' ? (
            <Notebook run={board.run.id} name={worker.name} />
          ) : tab === 'diff' ? (
            <Diff log={log} older={live.older} />
          ) : tab === 'raw' ? (
            <Raw log={log} older={live.older} />
          ) : (
            <Activity log={log} nodes={nodes} older={live.older} />
          )}
          <Write session={session} commands={commands} put={live.put} />
        </div>
        {details.shown && (
          <aside className={`panel talk${details.over ? ' over' : ''}`} aria-label="Details">
            {details.over && <CloseDetails details={details} />}
            {details.over && <WhoAndWhat board={board} worker={worker} session={session} nodes={nodes} />}
            <Files run={board.run.id} name={worker.name} nodes={nodes} />
          </aside>
        )}
      </div>
    </Page>
  )
}

const Facts = ({ nodes, session }: { nodes: number; session: Session }): ReactNode => (
  <span className="facts">
    <span>
      {nodes} {nodes === 1 ? 'node' : 'nodes'}
    </span>
    <Took since={session.createdAt} until={session.status === 'running' ? undefined : session.updatedAt} />
    <b>{money(session.totalCostUsd, session.unpricedTokens)}</b>
  </span>
)

function Steer({ session: { id, status } }: { session: Session }): ReactNode {
  if (status === 'paused')
    return (
      <Button icon="play" className="wide-only" onClick={() => attempt(() => resumeSession(id))}>
        Resume
      </Button>
    )
  if (status !== 'running' && status !== 'waiting') return null
  return (
    <>
      <Button icon="pause" className="wide-only" onClick={() => attempt(() => pauseSession(id))}>
        Pause
      </Button>
      <Button look="danger" icon="stop" className="wide-only" onClick={() => attempt(() => stopTurn(id))}>
        Stop
      </Button>
    </>
  )
}
