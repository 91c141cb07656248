import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Task } from '../../../../src/contract/tasks.ts'
import { server } from '../../live/server.ts'
import { Answer, takesAnswer } from '../../parts/answer.tsx'
import { Ask } from '../../parts/ask.tsx'
import { AskedBody } from '../../parts/asked.tsx'
import { clock, money, Took, tokens } from '../../parts/figures.tsx'
import { Badge, Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { attempt, Button, Failed, Skeleton } from '../../parts/small.tsx'
import { WhyLine } from '../../parts/why.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { isOpenTask, titleOfTask, useTask, withoutNode } from '../../state/tasks.ts'
import { TaskEvents } from './events.tsx'
import { standingOfTaskFor } from './standing.ts'

/** One task beside the list: why it stands where it stands, what it is to do, what came of it, and what can be done. */
export function TaskDetail({ id, close }: { id: string; close(): void }): ReactNode {
  const { value: task, failure, refresh } = useTask(id)
  const inbox = useInbox().value ?? []
  if (task === undefined)
    return (
      <aside className="list-detail" aria-label="Task">
        {failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}
      </aside>
    )
  const asked = inbox.find(
    (item) => takesAnswer(item) && item.waits.some(({ sessionId }) => sessionId === task.sessionId),
  )
  return (
    <aside className="list-detail" aria-label={`Task: ${titleOfTask(task)}`}>
      <header className="detail-head">
        <Badge standing={standingOfTaskFor(task, askers(inbox))} />
        <span className="grow" />
        <Acts task={task} />
        <Button look="ghost" small icon="x" aria-label="Close" onClick={close} />
      </header>
      <div className="detail-in">
        <h2>{titleOfTask(task)}</h2>
        {isOpenTask(task) && <WhyLine of={task.id} version={task.updatedAt} />}
        {task.error && (
          <p className="detail-error">
            <b className="med">Why it ended:</b> {task.error}
          </p>
        )}
        {asked && (
          <div className="detail-asked">
            <p className="med">{asked.title}</p>
            <AskedBody item={asked} />
            <Answer item={asked} keys />
          </div>
        )}
        <Facts task={task} />
        {task.output !== undefined && task.output !== '' && (
          <section>
            <h3>Result</h3>
            <Markdown text={task.output} />
          </section>
        )}
        <section>
          <h3>What is to be done</h3>
          <Markdown text={withoutNode(task.input.prompt)} />
        </section>
        <section>
          <h3>What happened</h3>
          <TaskEvents id={task.id} />
        </section>
      </div>
    </aside>
  )
}

function Acts({ task }: { task: Task }): ReactNode {
  const [asks, setAsks] = useState<'cancel' | 'clean'>()
  const { id } = task
  const retry = (clean: boolean) =>
    attempt(() => server.call('POST /api/tasks/{id}/retry', { params: { id }, body: { clean } }))
  return (
    <>
      <Link className="btn sm" to="/sessions/$session" params={{ session: task.sessionId }}>
        <Icon name="message" small />
        Write
      </Link>
      {isOpenTask(task) && (
        <Button small look="danger" onClick={() => setAsks('cancel')}>
          Cancel
        </Button>
      )}
      {(task.status === 'failed' || task.status === 'canceled') && (
        <>
          <Button small icon="retry" onClick={() => void retry(false)} title="From where it stopped">
            Retry
          </Button>
          <Button small onClick={() => setAsks('clean')} title="From the beginning">
            Retry clean
          </Button>
        </>
      )}
      {asks === 'cancel' && (
        <Ask
          title="Cancel this task?"
          yes="Cancel the task"
          close={() => setAsks(undefined)}
          act={() => attempt(() => server.call('DELETE /api/tasks/{id}', { params: { id } }))}
        >
          It stops at its next safe point, with every task below it. What they did stays.
        </Ask>
      )}
      {asks === 'clean' && (
        <Ask
          title="Begin from the beginning?"
          yes="Begin anew"
          close={() => setAsks(undefined)}
          act={() => retry(true)}
        >
          The history of its session is removed, and the task is done again from its input.
        </Ask>
      )}
    </>
  )
}

function Facts({ task }: { task: Task }): ReactNode {
  const { from, limits } = task
  const bounds = [
    limits.maxCostUsd !== undefined && money(limits.maxCostUsd),
    limits.maxIterations !== undefined && `${limits.maxIterations} model calls`,
    limits.maxDurationSeconds !== undefined && `${limits.maxDurationSeconds} s of work`,
  ].filter(Boolean)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Who', <Who key="who" task={task} />],
    [
      'Given by',
      from.kind === 'agent'
        ? `${from.agent} ${from.handle ?? ''}`
        : from.kind === 'human'
          ? 'you'
          : from.kind === 'system'
            ? 'its run'
            : from.kind,
    ],
    [
      'Begun',
      task.startedAt ? `${clock(task.startedAt)}${task.attempts > 1 ? `, ${task.attempts} times` : ''}` : 'not yet',
    ],
    ['Time', task.startedAt ? <Took key="took" since={task.startedAt} until={task.finishedAt} /> : '–'],
    [
      'Own cost',
      `${money(task.costUsd, task.unpricedTokens)}, ${task.iterations} ${task.iterations === 1 ? 'model call' : 'model calls'}`,
    ],
    ['With children', money(task.totalCostUsd, task.unpricedTokens)],
    ['Tokens', `${tokens(task.tokens.input)} in, ${tokens(task.tokens.output)} out`],
    ...(bounds.length > 0 ? [['At most', bounds.join(', ')] as const] : []),
    ...(task.priority === 'normal' ? [] : [['Priority', task.priority] as const]),
    ...(task.tags.length > 0 ? [['Tags', task.tags.join(', ')] as const] : []),
  ]
  return (
    <dl className="detail-facts num">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const Who = ({ task }: { task: Task }): ReactNode => (
  <Link className="link" to="/sessions/$session" params={{ session: task.sessionId }}>
    {task.agent} {task.session}
  </Link>
)
