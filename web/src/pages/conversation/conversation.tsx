import '../../styles/conversation.css'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../../../src/contract/runs.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { money, Took } from '../../parts/figures.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { useLog } from '../../state/live-log.ts'
import { useRuns } from '../../state/runs.ts'
import { useSession } from '../../state/sessions.ts'
import { standingOfSession } from '../../state/standing.ts'
import { useSessionCommands } from './commands.ts'
import { useDetails } from './details.ts'
import { Acts, Crumbs, Name } from './header.tsx'
import { Panel } from './panel.tsx'
import { Talk } from './talk.tsx'
import { WhyStrip } from './why-strip.tsx'

/** A session: what was said and done in it, live. */
export function Conversation(): ReactNode {
  const { session: ref = '' } = useParams({ strict: false }) as { session?: string }
  const { value, failure, refresh } = useSession(ref)
  if (value) return <Opened key={value.id} session={value} />
  return (
    <Page title="Conversation" className="pad">
      {failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}
    </Page>
  )
}

function Opened({ session }: { session: Session }): ReactNode {
  const live = useLog(session.id)
  const details = useDetails()
  const asking = askers(useInbox().value)
  const run = useRuns().value?.find(({ id }) => id === session.runId)
  const commands = useSessionCommands(session)
  const standing = standingOfSession(session, asking)
  return (
    <Page
      title={<Name session={session} run={run} standing={standing} />}
      crumbs={<Crumbs session={session} run={run} />}
      aside={<Acts session={session} commands={commands} details={details} finds />}
      tabs={run && <RunTabs run={run} worker={session.worker} />}
      className="talk-page"
    >
      <div className="split">
        <div className="talk-main">
          {needsWords(session) && <WhyStrip of={session.id} version={`${session.status} ${session.reason ?? ''}`} />}
          <Talk session={session} live={live} commands={commands} />
        </div>
        {details.shown && <Panel session={session} log={live.value} details={details} />}
      </div>
    </Page>
  )
}

/** Only what does not simply work or rest has a why. */
const needsWords = ({ status }: Session): boolean => status === 'waiting' || status === 'paused' || status === 'error'

/** The coordinator is a part of its run. */
function RunTabs({ run, worker }: { run: Run; worker: string | undefined }): ReactNode {
  const all = Object.values(run.nodes).reduce((sum, count) => sum + count, 0)
  return (
    <>
      <nav className="run-tabs" aria-label="Parts of the run">
        <Link className="tab" to="/runs/$run" params={{ run: run.id }}>
          Board
        </Link>
        {worker === undefined ? (
          <span className="tab on" aria-current="page">
            Coordinator
          </span>
        ) : (
          <>
            <Link className="tab" to="/sessions/$session" params={{ session: run.sessionId }}>
              Coordinator
            </Link>
            <Link className="tab on" to="/runs/$run/workers/$worker" params={{ run: run.id, worker }}>
              {worker}
            </Link>
          </>
        )}
        {['files', 'messages', 'feed'].map((tab) => (
          <Link key={tab} className="tab" to="/runs/$run/$tab" params={{ run: run.id, tab }}>
            {tab[0]!.toUpperCase() + tab.slice(1)}
          </Link>
        ))}
      </nav>
      <div className="facts right">
        <span>
          <b>{run.nodes.finished ?? 0}</b> of {all} nodes done
        </span>
        <span>
          <Took since={run.createdAt} until={run.endedAt} />
        </span>
        <span>
          <b>{money(run.costUsd, run.unpricedTokens)}</b>
          {run.limits.maxCostUsd !== undefined && ` of ${money(run.limits.maxCostUsd)}`}
        </span>
      </div>
    </>
  )
}
