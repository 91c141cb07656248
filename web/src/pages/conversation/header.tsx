import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Model } from '../../../../src/contract/models.ts'
import type { Run } from '../../../../src/contract/runs.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Ask } from '../../parts/ask.tsx'
import { money, Took } from '../../parts/figures.tsx'
import { Badge, Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { attempt, Button, Handle } from '../../parts/small.tsx'
import { useAnswerer } from '../../state/live-log.ts'
import { useProjects } from '../../state/projects.ts'
import { changeSession, deleteSession } from '../../state/session-acts.ts'
import { isScratch } from '../../state/sessions.ts'
import type { Standing } from '../../state/standing.ts'
import type { SessionCommand } from './commands.ts'
import type { Details } from './details.ts'
import { startFind } from './find.ts'

/** Where the session stands: its project, its run. */
export function Crumbs({ session, run }: { session: Session; run: Run | undefined }): ReactNode {
  const project = useProjects().value?.find(({ id }) => id === session.project)
  return (
    <>
      {project && (
        <span className="crumbs">
          <Link className="crumb" to="/" title={project.path}>
            {project.name}
          </Link>
          <span className="sep">/</span>
        </span>
      )}
      {run && (
        <span className="crumbs cut">
          <Link className="crumb cut" to="/runs/$run" params={{ run: run.id }} title={run.goal}>
            {run.title}
          </Link>
          <span className="sep">/</span>
        </span>
      )}
    </>
  )
}

export function Name({
  session,
  run,
  standing,
}: {
  session: Session
  run: Run | undefined
  standing: Standing
}): ReactNode {
  const { worker, agent, runId, title, handle } = session
  const cost = money(session.totalCostUsd, session.unpricedTokens)
  return (
    <span className="name-line">
      {runId !== undefined && worker === undefined && <Icon name="star" small filled />}
      <span className="cut" title={title}>
        {worker ?? (runId === undefined ? title || agent : agent)}
      </span>
      {runId === undefined && title && <span className="mute small">{agent}</span>}
      <Handle handle={handle} />
      {isScratch(session) && <span className="tag">scratch</span>}
      <Badge standing={standing} />
      <span className="phone-only name-under num">
        {run ? <RunLine run={run} /> : [title && agent, handle, cost].filter(Boolean).join(' · ')}
      </span>
    </span>
  )
}

/** How far the run is, for how long, and what it cost. */
export function RunLine({ run }: { run: Run }): ReactNode {
  const all = Object.values(run.nodes).reduce((sum, count) => sum + count, 0)
  const limit = run.limits.maxCostUsd
  return (
    <>
      {run.nodes.finished ?? 0} of {all} nodes · <Took since={run.createdAt} until={run.endedAt} /> ·{' '}
      {money(run.costUsd, run.unpricedTokens)}
      {limit !== undefined && ` of ${money(limit)}`}
    </>
  )
}

const models: Resource<readonly Model[]> = {
  key: 'models usable',
  async read() {
    return { value: (await server.all('GET /api/models')).filter(({ usable }) => usable) }
  },
}

/** Which model answers from the next step on. */
function ModelSwitch({ session }: { session: Session }): ReactNode {
  const all = useLive(models).value ?? []
  const answerer = useAnswerer(session.id)
  const used = session.model ?? answerer ?? 'its own model'
  const choose = (model: string | null) => () => attempt(() => changeSession(session.id, { model }))
  return (
    <Menu
      label={`Model ${used.split('/').at(-1)}`}
      className="btn ghost model"
      items={[
        { label: "The agent's own", on: session.model === undefined, act: choose(null) },
        ...all.map(({ name }) => ({ label: name, on: name === session.model, act: choose(name) })),
      ]}
    >
      <Icon name="chip" />
      <span className="cut">{used.split('/').at(-1)}</span>
      <Icon name="updown" small />
    </Menu>
  )
}

/** A chat that was only to try its agent goes when it has, and leads back to that agent. */
function DeleteScratch({ session }: { session: Session }): ReactNode {
  const [asked, setAsked] = useState(false)
  const go = useNavigate()
  const project = useProjects().value?.find(({ id }) => id === session.project)?.path
  const act = () =>
    attempt(async () => {
      await deleteSession(session.id)
      await go({ to: '/agents', search: { project, agent: session.agent } as never, replace: true })
    })
  return (
    <>
      <Button look="ghost" onClick={() => setAsked(true)}>
        Delete
      </Button>
      {asked && (
        <Ask title="Delete this scratch chat?" yes="Delete" act={act} close={() => setAsked(false)}>
          What was said in it is removed for good. What {session.agent} wrote to files stays.
        </Ask>
      )}
    </>
  )
}

/** What can be done with the session. */
export function Acts({
  session,
  commands,
  details,
  finds = false,
}: {
  session: Session
  commands: readonly SessionCommand[]
  details: Details
  /** Its log is on the page, so words can be found in it. */
  finds?: boolean
}): ReactNode {
  const [asked, setAsked] = useState<SessionCommand>()
  const fork = commands.find(({ name }) => name === 'fork')
  return (
    <>
      {isScratch(session) && <DeleteScratch session={session} />}
      <ModelSwitch session={session} />
      {fork && (
        <Button
          look="ghost"
          icon="fork"
          aria-label="Fork"
          title="Fork"
          className="wide-only"
          onClick={() => fork.act()}
        />
      )}
      {finds && (
        <Button
          look="ghost"
          icon="search"
          aria-label="Find in this conversation"
          title="Find ( / )"
          className="wide-only"
          onClick={startFind}
        />
      )}
      <Menu
        label="More"
        className="btn ghost icon"
        items={[
          { label: 'Details', about: 'what it costs, its context, its files', on: details.shown, act: details.toggle },
          ...(finds ? [{ label: 'Find', about: 'words in the whole log', act: startFind }] : []),
          ...commands.map((one) => ({
            ...{ label: one.label, about: one.about, danger: one.asks !== undefined },
            act: () => (one.asks ? setAsked(one) : one.act()),
          })),
        ]}
      >
        <Icon name="more" />
      </Menu>
      <Button
        look="ghost"
        icon="panel"
        aria-label="Details"
        title="Details ( . )"
        aria-pressed={details.shown}
        className="flip wide-only"
        onClick={details.toggle}
      />
      {asked && (
        <Ask
          title={`${asked.label} this conversation?`}
          yes={asked.label}
          act={() => asked.act()}
          close={() => setAsked(undefined)}
        >
          {asked.asks}
        </Ask>
      )}
    </>
  )
}
