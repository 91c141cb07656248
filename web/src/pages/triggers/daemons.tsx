import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Daemon } from '../../../../src/contract/triggers.ts'
import { refresh } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Glyph, State } from '../../parts/icon.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { useProjects } from '../../state/projects.ts'
import { standings } from '../../state/standing.ts'
import { standingOfTrigger, useDaemons } from '../../state/triggers.ts'
import { nextOf } from './acts.ts'

/** Agents that work by themselves, tick by tick. */
export function Daemons({ project }: { project: string }): ReactNode {
  const known = useDaemons(project).value
  const daemons = known ?? []
  const [starting, setStarting] = useState(false)
  const act = async (done: () => Promise<unknown>): Promise<void> => {
    if (await attempt(done)) refresh(`daemons ${project}`)
  }
  return (
    <section className="trig-daemons" aria-label="Daemons">
      <h2 className="tabs">
        <span className="strong">Daemons</span>
        <span className="mute small cut">agents that work by themselves; each tick reads a heartbeat file</span>
        <span className="grow" />
        <Button small icon="plus" onClick={() => setStarting(!starting)} aria-expanded={starting}>
          Start one
        </Button>
      </h2>
      {starting && (
        <Start
          start={async (agent, intervalSeconds) => {
            const query = { project: project === '*' ? undefined : project }
            const body = intervalSeconds === undefined ? {} : { intervalSeconds }
            await act(() => server.call('POST /api/daemons/{agent}/start', { params: { agent }, query, body }))
            setStarting(false)
          }}
        />
      )}
      {known?.length === 0 && !starting && (
        <p className="trig-none mute small">
          None yet. Start an agent here, and it looks around by itself as often as you say.
        </p>
      )}
      {daemons.map((daemon) => (
        <Row key={daemon.trigger.id} daemon={daemon} act={act} />
      ))}
    </section>
  )
}

function Row({ daemon, act }: { daemon: Daemon; act(done: () => Promise<unknown>): Promise<void> }): ReactNode {
  const { agent, heartbeat, trigger, running } = daemon
  const params = { agent }
  const project = useProjects().value?.find(({ id }) => id === trigger.project)?.path
  const isOn = trigger.status === 'active'
  return (
    <div className="row">
      <Glyph standing={running ? standings.working : standingOfTrigger(trigger)} />
      <b className="med">{agent}</b>
      <span className="mute small">{heartbeat}</span>
      {running ? (
        <Link className="cut grow" to="/sessions/$session" params={{ session: running.sessionId }}>
          <State standing={standings.working} word={`a tick works: ${running.session}`} />
        </Link>
      ) : (
        <span className="cut grow soft small">{isOn ? `next ${nextOf(trigger)}` : 'stopped'}</span>
      )}
      <Button
        small
        icon={isOn ? 'stop' : 'play'}
        onClick={() =>
          void act(() =>
            server.call(isOn ? 'POST /api/daemons/{agent}/stop' : 'POST /api/daemons/{agent}/start', {
              params,
              query: { project },
              body: { heartbeat },
            }),
          )
        }
      >
        {isOn ? 'Stop' : 'Start'}
      </Button>
    </div>
  )
}

function Start({ start }: { start(agent: string, intervalSeconds: number | undefined): Promise<void> }): ReactNode {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const minutes = Number(form.get('minutes'))
    void start(String(form.get('agent')).trim(), minutes > 0 ? Math.round(minutes * 60) : undefined)
  }
  return (
    <form className="trig-start" onSubmit={submit}>
      <input name="agent" className="field" required aria-label="Agent" placeholder="agent" />
      <input
        name="minutes"
        className="field"
        aria-label="Minutes between ticks"
        placeholder="minutes between ticks"
        inputMode="decimal"
        pattern="[0-9]*[.]?[0-9]*"
      />
      <Button type="submit">Start</Button>
    </form>
  )
}
