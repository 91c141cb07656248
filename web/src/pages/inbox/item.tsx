import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { InboxItem, Lineage } from '../../../../src/contract/inbox.ts'
import { Answer, takesAnswer } from '../../parts/answer.tsx'
import { AskedBody } from '../../parts/asked.tsx'
import { clock } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ItemGlyph } from '../../parts/item-glyph.tsx'
import { Button } from '../../parts/small.tsx'
import { WhyLine } from '../../parts/why.tsx'
import { useProjects } from '../../state/projects.ts'
import { isWaved } from './groups.ts'

/** One item with all that is needed to answer it. */
export function ItemView({ item, back, dismiss }: { item: InboxItem; back(): void; dismiss(): void }): ReactNode {
  const asks = takesAnswer(item)
  const session = item.waits[0]?.sessionId ?? item.from.sessionId ?? lastSession(item.lineage)
  return (
    <section className="item-view" aria-label={`${item.kind} of ${item.from.agent ?? 'Troupe'}`}>
      <div className="item-in">
        <Button look="ghost" small icon="left" className="item-back" onClick={back}>
          Inbox
        </Button>
        <header className="item-head">
          <ItemGlyph item={item} large />
          <div className="grow">
            <h2>{item.title}</h2>
            <Line item={item} />
          </div>
        </header>
        {item.title.includes('(changes what agents may do)') && (
          <p className="item-alert">
            <Icon name="shield" />
            <span>
              <b className="strong">Changes what agents may do.</b> Look at it closely: it is not only this one call.
            </span>
          </p>
        )}
        <div className="item-body">
          <AskedBody item={item} />
        </div>
        {item.status !== 'open' && <Given item={item} />}
        {asks && (
          <div className="item-block">
            <h3>{item.kind === 'approval' ? 'Your decision' : 'Your answer'}</h3>
            <Answer item={item} keys wide />
          </div>
        )}
        {item.status === 'open' && item.waits.length > 0 && <WhyLine of={item.id} />}
        <div className="item-acts">
          {isWaved(item) && (
            <Button keys="e" onClick={dismiss}>
              Dismiss
            </Button>
          )}
          <span className="grow" />
          {session && (
            <Link className="btn ghost" to="/sessions/$session" params={{ session }}>
              <Icon name="message" />
              Open the conversation
            </Link>
          )}
        </div>
      </div>
    </section>
  )
}

const lastSession = (lineage: readonly Lineage[]): string | undefined =>
  lineage.findLast(({ kind }) => kind === 'session')?.id

/** Where it comes from, when, and what stands still for it. */
function Line({ item }: { item: InboxItem }): ReactNode {
  const project = useProjects().value?.find(({ id }) => id === item.project)
  return (
    <div className="item-line">
      {project && <span>{project.name}</span>}
      {stepsOf(item.lineage).map((step) => (
        <Fragment key={step.kind + step.id}>
          <Icon name="right" small />
          <Step step={step} run={item.lineage.find(({ kind }) => kind === 'run')?.id} />
        </Fragment>
      ))}
      <span className="right num">
        {clock(item.createdAt)}
        {item.status === 'open' && ` · ${waiting(item)}`}
      </span>
    </div>
  )
}

/** A worker and its session are one member: it has the name of the first and the handle of the other. */
const stepsOf = (lineage: readonly Lineage[]): readonly Lineage[] =>
  lineage.flatMap((step, at) => {
    const session = lineage[at + 1]
    if (step.kind === 'worker' && session?.kind === 'session' && session.handle !== undefined)
      return [{ ...step, handle: session.handle }]
    return step.kind === 'session' && lineage[at - 1]?.kind === 'worker' ? [] : [step]
  })

const waiting = ({ waits, action }: InboxItem): string => {
  const sessions = new Set(waits.map(({ sessionId }) => sessionId)).size
  if (sessions === 0) return action === undefined ? 'nothing waits for it' : 'your answer lets it go on'
  return sessions === 1 ? 'one session waits for it' : `${sessions} sessions wait for it`
}

function Step({ step, run }: { step: Lineage; run: string | undefined }): ReactNode {
  const { kind, id, label, agent, handle } = step
  if (kind === 'session')
    return (
      <Link to="/sessions/$session" params={{ session: id }}>
        {agent ?? label} {handle && <span className="handle">{handle}</span>}
      </Link>
    )
  if (kind === 'task')
    return (
      <Link className="cut" to="/tasks" search={{ task: id }}>
        {label}
      </Link>
    )
  if (kind === 'run')
    return (
      <Link className="cut" to="/runs/$run" params={{ run: id }}>
        {label}
      </Link>
    )
  if (kind === 'worker' && run !== undefined)
    return (
      <Link to="/runs/$run/workers/$worker" params={{ run, worker: label }}>
        {label} {handle && <span className="handle">{handle}</span>}
      </Link>
    )
  if (kind === 'trigger')
    return (
      <Link className="cut" to="/triggers" search={{ trigger: id }}>
        {label}
      </Link>
    )
  return <span className="cut">{label}</span>
}

/** What was answered, once it is over. */
function Given({ item: { status, answer, answeredAt } }: { item: InboxItem }): ReactNode {
  return (
    <p className="item-given">
      <span className="mute">
        {status}
        {answeredAt && `, ${clock(answeredAt)}`}
      </span>
      {answer !== undefined && answer !== null && <b className="med">{inWords(answer)}</b>}
    </p>
  )
}

function inWords(answer: unknown): string {
  const { answer: said, decision, reason } = answer as { answer?: string; decision?: string; reason?: string }
  if (decision === undefined) return said ?? JSON.stringify(answer)
  return decision === 'deny' ? `denied${reason ? `: ${reason}` : ''}` : `allowed, ${decision}`
}
