import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Trigger, TriggerFire } from '../../../../src/contract/triggers.ts'
import { now } from '../../live/clock.ts'
import { refresh } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Ask } from '../../parts/ask.tsx'
import { clock, clockMinutes, clockWhole } from '../../parts/figures.tsx'
import { Badge, State } from '../../parts/icon.tsx'
import { attempt, Button, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../state/address.ts'
import {
  actionInWords,
  cronOf,
  standingOfFire,
  standingOfTrigger,
  useFires,
  whenInWords,
} from '../../state/triggers.ts'
import { fireNow, nextOf, setStatus } from './acts.ts'
import { TriggerForm } from './form.tsx'

const catchUps = { one: 'the last one is made up for', none: 'nothing is made up for', all: 'all are made up for' }

/** One trigger: when, what, and every time it was due. */
export function TriggerDetail({ trigger, close }: { trigger: Trigger; close(): void }): ReactNode {
  const [{ tab = 'ledger', project = '*' }, change] = useAddress()
  const [deleting, setDeleting] = useState(false)
  const { id, status } = trigger
  const open = status === 'active' || status === 'paused'
  return (
    <aside className="list-detail" aria-label={`Trigger ${trigger.name}`}>
      <header className="detail-head">
        <Badge standing={standingOfTrigger(trigger)} />
        <span className="grow" />
        <Button small icon="bolt" onClick={() => void fireNow(id)}>
          Run now
        </Button>
        {open && (
          <Button
            small
            icon={status === 'paused' ? 'play' : 'pause'}
            onClick={() => void setStatus(id, status === 'paused' ? 'active' : 'paused')}
          >
            {status === 'paused' ? 'Resume' : 'Pause'}
          </Button>
        )}
        <Button look="ghost" small icon="x" aria-label="Close" onClick={close} />
      </header>
      <div className="trig-about">
        <h2>{trigger.name}</h2>
        <dl className="detail-facts num">
          {(
            [
              ['When', whenInWords(trigger)],
              ...(cronOf(trigger) === undefined ? [] : [['Cron', <code key="cron">{cronOf(trigger)}</code>] as const]),
              ['Next', nextOf(trigger)],
              ['Does', actionInWords(trigger)],
              ['If missed', catchUps[trigger.catchUp]],
              ['Acted', `${trigger.fires} times${trigger.maxFires ? ` of ${trigger.maxFires} at most` : ''}`],
              ['Made by', `${trigger.madeBy === 'human' ? 'you' : 'an agent'}, ${clock(trigger.createdAt)}`],
              ...(trigger.reason ? [['Because', trigger.reason] as const] : []),
            ] as readonly (readonly [string, ReactNode])[]
          ).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="tabs">
        {(['ledger', 'edit'] as const).map((name) => (
          <button
            key={name}
            type="button"
            className={`tab${tab === name ? ' on' : ''}`}
            aria-pressed={tab === name}
            onClick={() => change({ tab: name === 'ledger' ? undefined : name })}
          >
            {name === 'ledger' ? 'Ledger' : 'Edit'}
          </button>
        ))}
        <span className="grow" />
        <Button small look="danger" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {tab === 'edit' ? (
        <TriggerForm key={trigger.updatedAt} trigger={trigger} done={() => change({ tab: undefined })} />
      ) : (
        <Ledger id={id} />
      )}
      {deleting && (
        <Ask
          title={`Delete ${trigger.name}?`}
          yes="Delete it"
          close={() => setDeleting(false)}
          act={async () => {
            if (await attempt(() => server.call('DELETE /api/triggers/{id}', { params: { id } }))) {
              refresh(`triggers ${project}`)
              close()
            }
          }}
        >
          It goes with its ledger. What it started goes on.
        </Ask>
      )}
    </aside>
  )
}

function Ledger({ id }: { id: string }): ReactNode {
  const { value, failure, refresh: again } = useFires(id)
  if (value === undefined) return failure ? <Failed failure={failure} retry={again} /> : <Skeleton />
  if (value.length === 0)
    return <p className="list-none mute">It was not due yet. Every due time becomes a row here.</p>
  return (
    <div className="list-scroll">
      <table className="table trig-ledger">
        <thead>
          <tr>
            <th className="w-due">Due</th>
            <th className="w-outcome">Outcome</th>
            <th>Why, and what it caused</th>
          </tr>
        </thead>
        <tbody>
          {value.map((fire) => (
            <tr key={fire.id}>
              <td className="num soft" title={clockWhole(fire.dueAt)}>
                {moment(fire.dueAt)}
              </td>
              <td>
                <State standing={standingOfFire(fire)} />
              </td>
              <td className="small soft">
                {caused(fire)}
                {fire.sessionId && (
                  <Link className="link" to="/sessions/$session" params={{ session: fire.sessionId }}>
                    its session
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function caused({ reason, covers, delivery, attempts, result }: TriggerFire): string {
  const task = result?.taskId ? 'gave a task' : result?.mailId ? 'wrote mail' : ''
  const called = delivery ? `webhook ${delivery}${attempts ? `, ${attempts} tries` : ''}` : ''
  const several = covers > 1 ? `stands for ${covers}` : ''
  const words = [reason, task, called, several].filter(Boolean).join(' · ')
  return words === '' ? '' : `${words} · `.replace(/ · $/, ' ')
}

const moment = (at: string): string => {
  const date = new Date(at)
  const time = clockMinutes(at)
  return date.toDateString() === new Date(now()).toDateString() ? `today ${time}` : `${clock(at)} ${time}`
}
