import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Board, Run } from '../../../../src/contract/runs.ts'
import { server } from '../../live/server.ts'
import { Ask } from '../../parts/ask.tsx'
import { money, Took } from '../../parts/figures.tsx'
import { Badge, Icon } from '../../parts/icon.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { toast } from '../../parts/toasts.tsx'
import { useAddress } from '../../shell/address.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { heldRuns } from '../../state/item-standing.ts'
import { useProjects } from '../../state/projects.ts'
import { standingOfRun, standings } from '../../state/standing.ts'
import { MoreActs } from './more-acts.tsx'
import { isOver } from './view.ts'

export function Crumbs({ run }: { run: Run }): ReactNode {
  const project = useProjects().value?.find(({ id }) => id === run.project)
  return (
    <>
      <Link className="crumb" to="/runs" search={project ? { project: project.path } : {}}>
        {project?.name ?? 'Runs'}
      </Link>
      <span className="sep">/</span>
    </>
  )
}

/** What the run is called, and how it stands: a question of any member is the run's. */
export function RunTitle({ board }: { board: Board }): ReactNode {
  const { run } = board
  return (
    <span className="run-h">
      <span className="cut" title={run.goal}>
        {run.title}
      </span>
      <RunBadge board={board} />
    </span>
  )
}

function RunBadge({ board: { run, workers } }: { board: Board }): ReactNode {
  const items = useInbox().value ?? []
  const asking = askers(items)
  const members = [run.sessionId, ...workers.flatMap(({ sessionId }) => sessionId ?? [])]
  const held = run.status === 'paused' && heldRuns(items).has(run.id)
  const asks = held || members.some((id) => asking.has(id))
  return <Badge standing={asks && !isOver(run.status) ? standings.asks : standingOfRun(run)} />
}

/** What a person can do with the run as a whole. */
export function RunActs({ run, write }: { run: Run; write: () => void }): ReactNode {
  const [stopping, setStopping] = useState(false)
  const params = { id: run.id }
  const over = isOver(run.status)
  const go = useNavigate()
  const archive = () =>
    attempt(async () => {
      await server.call('DELETE /api/runs/{id}', { params })
      toast({ tone: 'rest', text: `${run.title} is off the lists. It is kept under Archived.` })
      await go({ to: '/runs' })
    })
  return (
    <>
      <Button look="ghost" icon="message" onClick={write} keys="m" className="word-act">
        Message the run
      </Button>
      {!over && run.status !== 'paused' && (
        <Button icon="pause" onClick={() => attempt(() => server.call('POST /api/runs/{id}/pause', { params }))}>
          Pause
        </Button>
      )}
      {run.status === 'paused' && (
        <Button icon="play" onClick={() => attempt(() => server.call('POST /api/runs/{id}/resume', { params }))}>
          Resume
        </Button>
      )}
      {!over && (
        <Button look="danger" icon="stop" onClick={() => setStopping(true)}>
          Stop
        </Button>
      )}
      <MoreActs run={run} archive={archive} />
      {stopping && (
        <Ask
          title="Stop this run?"
          yes="Stop the run"
          act={() => attempt(() => server.call('POST /api/runs/{id}/stop', { params }))}
          close={() => setStopping(false)}
        >
          What is open is canceled and the workers are closed. What was published stays, and the coordinator still
          answers.
        </Ask>
      )}
    </>
  )
}

/** How far it is, who works, how long, and what it costs. */
export function RunFacts({ board, tab }: { board: Board; tab: string }): ReactNode {
  const { run, nodes, workers } = board
  const asking = askers(useInbox().value)
  const [{ view = 'graph' }, put] = useAddress()
  const working = workers.filter(({ status }) => status === 'busy').length
  const asks = workers.filter(({ sessionId }) => sessionId !== undefined && asking.has(sessionId)).length
  const limit = run.limits.maxCostUsd
  return (
    <>
      <span className="right" />
      <span className="facts">
        <span className="phone-only">
          <RunBadge board={board} />
        </span>
        <span>
          <b>{run.nodes.finished ?? 0}</b> of {nodes.length} {nodes.length === 1 ? 'node' : 'nodes'} done
        </span>
        {(working > 0 || asks > 0) && (
          <span>
            {working > 0 && `${working} working`}
            {working > 0 && asks > 0 && ', '}
            {asks > 0 && <span className="asks">{asks} asks you</span>}
          </span>
        )}
        {run.cycle !== undefined && <span>cycle {run.cycle}</span>}
        <Took since={run.createdAt} until={run.endedAt} />
        <span>
          <b>{money(run.costUsd, run.unpricedTokens)}</b>
          {limit !== undefined && (
            <>
              {` of ${money(limit)} `}
              <span className={`meter${run.costUsd >= limit ? ' bad' : run.costUsd > 0.8 * limit ? ' ask' : ''}`}>
                <i style={{ width: `${Math.min(100, (100 * run.costUsd) / limit)}%` }} />
              </span>
            </>
          )}
        </span>
      </span>
      {tab === 'board' && (
        <span className="group view-switch">
          {(['graph', 'list'] as const).map((name) => (
            <button
              key={name}
              type="button"
              className={`btn sm${view === name ? ' on' : ''}`}
              aria-pressed={view === name}
              onClick={() => put({ view: name === 'graph' ? undefined : name })}
            >
              <Icon name={name === 'graph' ? 'board' : 'list'} small />
              {name === 'graph' ? 'Graph' : 'List'}
            </button>
          ))}
        </span>
      )}
    </>
  )
}
