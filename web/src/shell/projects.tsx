import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../../src/contract/runs.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { Glyph, Icon, type IconName } from '../parts/icon.tsx'
import { Button, Handle } from '../parts/small.tsx'
import { askers, useInbox } from '../state/inbox.ts'
import { type ProjectView, useProjectViews } from '../state/projects.ts'
import { useRunStandings } from '../state/run-standing.ts'
import { useSessions } from '../state/sessions.ts'
import { mostUrgent, standingOfRun, standingOfSession } from '../state/standing.ts'
import { shell, useFold } from './shell-state.ts'

const RUNS = 8
const SESSIONS = 6

const links: readonly (readonly [string, IconName, string])[] = [
  ['/runs', 'board', 'Board'],
  ['/tasks', 'tasks', 'Tasks'],
  ['/files', 'folder', 'Files'],
  ['/memory', 'memory', 'Memory'],
  ['/triggers', 'trigger', 'Triggers'],
  ['/agents', 'user', 'Agents'],
]

export function Projects(): ReactNode {
  return useProjectViews().map((project, at) => <Project key={project.id} project={project} first={at === 0} />)
}

function Project({ project, first }: { project: ProjectView; first: boolean }): ReactNode {
  const [open, setOpen] = useFold(`project ${project.id}`, first)
  const asking = askers(useInbox().value)
  const sessions = useSessions().value ?? []
  const folded = mostUrgent(
    sessions.filter((one) => one.project === project.id).map((one) => standingOfSession(one, asking)),
  )
  return (
    <section aria-label={`Project ${project.name}`}>
      <div className="side-p">
        <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)} title={project.path}>
          <Icon name={open ? 'down' : 'right'} small />
          <span className="cut">{project.name}</span>
        </button>
        {!open && folded && <Glyph standing={folded} />}
        <Button look="ghost" small icon="plus" aria-label="New run" onClick={() => shell.open('new-run')} />
      </div>
      {open && (
        <>
          <div className="side-links">
            {links.map(([to, icon, name]) => (
              <Link
                key={to}
                className="nav"
                to={to}
                search={{ project: project.path }}
                activeOptions={{ includeSearch: true }}
                activeProps={{ className: 'nav on' }}
              >
                <Icon name={icon} />
                {name}
              </Link>
            ))}
          </div>
          <div className="side-h">Runs</div>
          {project.runs.length === 0 && <p className="side-none">None yet. Give a team a goal.</p>}
          {project.runs.slice(0, RUNS).map((run) => (
            <RunRow key={run.id} run={run} members={sessions.filter(({ runId }) => runId === run.id)} asking={asking} />
          ))}
          {project.runs.length > RUNS && (
            <Link className="nav" to="/runs" search={{ project: project.path }}>
              <span className="cut mute">{project.runs.length - RUNS} more</span>
            </Link>
          )}
          <div className="side-h">Agents</div>
          {project.agents.length === 0 && <p className="side-none">Nobody was spoken to yet.</p>}
          {project.agents.map(({ name, sessions: own }) => (
            <AgentRow key={name} project={project.id} name={name} sessions={own} asking={asking} />
          ))}
        </>
      )}
    </section>
  )
}

const isOver = ({ status }: Run): boolean => status === 'finished' || status === 'failed' || status === 'stopped'

function RunRow({ run, members, asking }: { run: Run; members: readonly Session[]; asking: ReadonlySet<string> }) {
  const [open, setOpen] = useFold(`run ${run.id}`, !isOver(run))
  const atWorker = useLocation().pathname.startsWith(`/runs/${run.id}/workers/`)
  const done = run.nodes.finished ?? 0
  const all = Object.values(run.nodes).reduce((sum, count) => sum + count, 0)
  const standing = mostUrgent([useRunStandings()(run), ...members.map((one) => standingOfSession(one, asking))])!
  return (
    <>
      <div className="nav-line">
        <button
          type="button"
          className="twist"
          aria-expanded={open}
          aria-label={`Members of ${run.title}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'down' : 'right'} small />
        </button>
        <Link
          className="nav grow"
          to="/runs/$run"
          params={{ run: run.id }}
          // The row of the worker is marked then.
          activeOptions={{ exact: open && atWorker }}
          activeProps={{ className: 'nav grow on' }}
          title={run.goal}
        >
          <span className="cut">{run.title}</span>
          <span className="age">
            {isOver(run) || !open || (standing.shape === 'asks' && members.every(({ id }) => !asking.has(id))) ? (
              <Glyph standing={isOver(run) ? standingOfRun(run) : standing} />
            ) : (
              `${done}/${all}`
            )}
          </span>
        </Link>
      </div>
      {open &&
        members
          .toSorted((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))
          .map((session) => (
            <Link
              key={session.id}
              className="nav d1"
              activeProps={{ className: 'nav d1 on' }}
              {...(session.worker === undefined
                ? { to: '/sessions/$session', params: { session: session.id } }
                : { to: '/runs/$run/workers/$worker', params: { run: run.id, worker: session.worker } })}
            >
              <Glyph standing={standingOfSession(session, asking)} />
              {session.worker === undefined && (
                <span className="star">
                  <Icon name="star" small filled />
                </span>
              )}
              <span className="cut">{session.worker ?? session.agent}</span>
              <Handle handle={session.handle} />
            </Link>
          ))}
    </>
  )
}

function AgentRow({
  project,
  name,
  sessions,
  asking,
}: {
  project: string
  name: string
  sessions: readonly Session[]
  asking: ReadonlySet<string>
}) {
  const [open, setOpen] = useFold(`agent ${project} ${name}`, true)
  const isTop = ({ pinnedAt, parentSessionId }: Session) =>
    pinnedAt !== undefined || !sessions.some(({ id }) => id === parentSessionId)
  const children = (top: string) => sessions.filter((one) => one.parentSessionId === top && !isTop(one))
  const tops = sessions.filter(isTop)
  const folded = mostUrgent(sessions.map((one) => standingOfSession(one, asking)))
  const rows = tops
    .filter(({ pinnedAt }, at) => at < SESSIONS || pinnedAt !== undefined)
    .flatMap((top) => [{ one: top, depth: 1 }, ...children(top.id).map((one) => ({ one, depth: 2 }))])
  return (
    <>
      <button type="button" className="nav fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} small />
        <span className="cut">{name}</span>
        {!open && folded && (
          <span className="age">
            <Glyph standing={folded} />
          </span>
        )}
      </button>
      {open && rows.map(({ one, depth }) => <SessionRow key={one.id} session={one} depth={depth} asking={asking} />)}
    </>
  )
}

function SessionRow({ session, depth, asking }: { session: Session; depth: number; asking: ReadonlySet<string> }) {
  const unread = session.messageCount > session.readSeq
  const look = `nav d${depth}${unread ? ' unread' : ''}`
  return (
    <Link
      className={look}
      to="/sessions/$session"
      params={{ session: session.id }}
      activeProps={{ className: `${look} on` }}
      title={session.title}
    >
      <Glyph standing={standingOfSession(session, asking)} />
      <span className="cut grow">{session.title || 'Untitled'}</span>
      {session.pinnedAt && <Icon name="pin" small />}
      {unread && <span className="dot" role="img" aria-label="unread" />}
      <Handle handle={session.handle} />
    </Link>
  )
}
