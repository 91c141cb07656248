import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { NodeStatus, Run } from '../../../../src/contract/runs.ts'
import type { TopItem } from '../../../../src/contract/top.ts'
import { Age, money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { Button, Empty } from '../../parts/small.tsx'
import { shell } from '../../shell/shell-state.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { useRunStandings } from '../../state/run-standing.ts'
import { mostUrgent, standingOfSession } from '../../state/standing.ts'
import { type AtWork, useAtWork, working } from './at-work.ts'
import { Head } from './head.tsx'

const SHOWN = 8

export function Working(): ReactNode {
  const all = useAtWork()
  const asking = askers(useInbox().value)
  return (
    <section aria-label="Working">
      <Head title="Working" count={working(all)} to="/tasks" more="All tasks" keys={['g', 't']} />
      {all.length === 0 ? (
        <Empty
          title="Nobody works right now"
          action={
            <Button small icon="plus" onClick={() => shell.open('new-run')}>
              New run
            </Button>
          }
        >
          Give a team a goal, or write to an agent.
        </Empty>
      ) : (
        <div className="card">
          {all
            .slice(0, SHOWN)
            .map((one) =>
              'run' in one ? (
                <RunRow key={one.run.id} {...one} asking={asking} />
              ) : (
                <SessionRow key={one.session.sessionId} item={one.session} asking={asking} />
              ),
            )}
          {all.length > SHOWN && (
            <Link className="row mute" to="/tasks">
              {all.length - SHOWN} more
            </Link>
          )}
        </div>
      )}
    </section>
  )
}

function RunRow({
  run,
  sentence,
  members,
  asking,
}: Extract<AtWork, { run: Run }> & { asking: ReadonlySet<string> }): ReactNode {
  const asks = members.filter(({ sessionId }) => asking.has(sessionId)).length
  const standing = mostUrgent([
    useRunStandings()(run),
    ...members.map(({ sessionId, status }) => standingOfSession({ id: sessionId, status }, asking)),
  ])!
  return (
    <Link className="home-run" to="/runs/$run" params={{ run: run.id }} title={run.goal}>
      <Glyph standing={standing} />
      <span className="what">
        <span className="med cut">{run.title}</span>
        <span className="small mute cut">{sentence ?? 'waits'}</span>
      </span>
      <Segments run={run} asks={asks} />
      <span className="num small soft">
        <Age since={run.createdAt} />
      </span>
      <span className="num small">
        <b className="med">{money(run.costUsd, run.unpricedTokens)}</b>
        {run.limits.maxCostUsd !== undefined && <span className="mute"> of {money(run.limits.maxCostUsd)}</span>}
      </span>
    </Link>
  )
}

function SessionRow({ item, asking }: { item: TopItem; asking: ReadonlySet<string> }): ReactNode {
  return (
    <Link className="home-run" to="/sessions/$session" params={{ session: item.sessionId }}>
      <Glyph standing={standingOfSession({ id: item.sessionId, status: item.status }, asking)} />
      <span className="what">
        <span className="cut">
          <span className="med">{item.agent}</span> <span className="handle">{item.handle}</span> {item.title}
        </span>
        <span className="small mute cut">{item.activity}</span>
      </span>
      <span className="tiny mute">
        {item.status === 'running' && item.tokensPerSecond > 0 && `${item.tokensPerSecond} tokens/s`}
      </span>
      <span className="num small soft">
        <Age since={item.since} />
      </span>
      <span className="num small">
        <b className="med">{money(item.totalCostUsd, item.unpricedTokens)}</b>
      </span>
    </Link>
  )
}

const order: readonly (readonly [NodeStatus | 'asks', string, string])[] = [
  ['finished', 'g', 'done'],
  ['processing', 'w', 'working'],
  ['asks', 'y', 'asks you'],
  ['waiting', 'q', 'waits'],
  ['failed', 'r', 'failed'],
  ['blocked', 'r', 'blocked'],
  ['pending', '', 'pending'],
  ['canceled', '', 'canceled'],
]
/** With more nodes than this, a piece stands for all of one state. */
const PIECES = 24

/** How far the nodes of a run are: one piece each. */
function Segments({ run: { nodes }, asks }: { run: Run; asks: number }): ReactNode {
  const waiting = nodes.waiting ?? 0
  const asked = Math.min(asks, waiting)
  const counts = { ...nodes, asks: asked, waiting: waiting - asked }
  const found = order
    .map(([key, look, word]) => ({ key, look, word, count: counts[key] ?? 0 }))
    .filter(({ count }) => count > 0)
  const all = found.reduce((total, { count }) => total + count, 0)
  if (all === 0) return <span className="tiny mute">no nodes yet</span>
  const pieces = found.flatMap(({ key, look, count }) =>
    all > PIECES
      ? [{ key, look, grow: count }]
      : Array.from({ length: count }, (_, at) => ({ key: `${key}${at}`, look, grow: 1 })),
  )
  const failed = nodes.failed ?? 0
  return (
    <span>
      <span
        className="home-seg"
        role="img"
        aria-label={`${all} nodes: ${found.map(({ count, word }) => `${count} ${word}`).join(', ')}`}
      >
        {pieces.map(({ key, look, grow }) => (
          <i key={key} className={look} style={{ flexGrow: grow }} />
        ))}
      </span>
      <span className="tiny mute">
        {nodes.finished ?? 0} of {all} nodes{failed > 0 && `, ${failed} failed`}
      </span>
    </span>
  )
}
