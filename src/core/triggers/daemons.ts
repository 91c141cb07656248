import type { Agent } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { Daemon, StartDaemon, When } from '../../contract/triggers.ts'
import { latestFireWithSession, sessionFire } from '../../store/fires.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Db, SessionTimer, TriggerRow } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { actionIn, findDaemon, findTrigger, selectTriggers, toTrigger } from '../../store/triggers.ts'
import { type Core, type Project, transact } from '../base/index.ts'
import { agentFor, findAgent, trustState } from '../config/index.ts'
import { changeTrigger } from './change.ts'
import { projectHere } from './fire.ts'
import { settleFiles } from './gates.ts'
import { heartbeatsOf, readHeartbeat } from './heartbeats.ts'
import { createTrigger } from './make.ts'

const EVERY_SECONDS = 1800
const LISTED = 1000

/** Lets an agent work by itself. A daemon that was stopped goes on as before, unless something else is asked for. */
export async function startDaemon(core: Core, project: Project, name: string, body: StartDaemon): Promise<Daemon> {
  const agent = await findAgent(core, project, name)
  agentFor(agent, 'daemon')
  await mustBeTrusted(core, project, agent)
  const heartbeat = chosen(agent, body.heartbeat)
  readHeartbeat(agent, project, heartbeat)
  const key = `${agent.name}/${heartbeat}`
  const there = await findDaemon(core.store.read, project.id, key)
  const said = whenOf(body)
  if (there === undefined) {
    const when = said ?? whenOf({ ...body, intervalSeconds: EVERY_SECONDS })!
    const action = { type: 'tick', agent: agent.name, heartbeat } as const
    await createTrigger(core, project, { ...when, action, catchUp: body.catchUp, daemon: key })
  } else {
    const change = { ...(said && { when: said }), ...(body.catchUp && { catchUp: body.catchUp }) }
    if (there.status !== 'active' || Object.keys(change).length > 0)
      await changeTrigger(core, project, there.id, { ...change, status: 'active' })
  }
  return daemonOf(core.store.read, (await findDaemon(core.store.read, project.id, key))!)
}

/** No more ticks. One that runs goes on to its end. */
export async function stopDaemon(core: Core, project: Project, name: string, heartbeat?: string): Promise<Daemon> {
  const all = (await daemonRows(core.store.read, project.id)).filter(({ daemon }) => daemon?.split('/')[0] === name)
  const found = all.filter(({ daemon }) => heartbeat === undefined || daemon === `${name}/${heartbeat}`)
  const [row, second] = found
  if (row === undefined) {
    throw new AppError('trigger.not_found', `${name} is no daemon here.`, { hint: '"troupe daemon list" shows them.' })
  }
  if (second !== undefined) {
    const names = found.map(({ daemon }) => daemon?.split('/')[1]).join(', ')
    throw new AppError('trigger.invalid', `heartbeat: ${name} has several: ${names}.`, {
      hint: 'Name the one to stop.',
    })
  }
  if (row.status === 'active') await changeTrigger(core, project, row.id, { status: 'paused' })
  return daemonOf(core.store.read, (await findTrigger(core.store.read, row.id))!)
}

export async function listDaemons(core: Core, project: string, db: Db = core.store.read): Promise<Daemon[]> {
  const rows = await daemonRows(db, project)
  return Promise.all(rows.map((row) => daemonOf(db, row)))
}

/** A tick has ended: what it wrote is not news for the next. */
export async function settleTick(core: Core, timer: SessionTimer): Promise<void> {
  const fire = await sessionFire(core.store.read, timer.session_id)
  const row = fire && (await findTrigger(core.store.read, fire.trigger_id))
  const project = row && (await projectHere(core, row))
  if (row !== undefined && project !== undefined) await settleFiles(core, row, project)
  await transact(core, 'trigger.settled', (tx) => takeTimer(tx.db, timer))
}

const daemonRows = (db: Db, project: string): Promise<TriggerRow[]> =>
  selectTriggers(db, { project, daemons: true, limit: LISTED })

async function daemonOf(db: Db, row: TriggerRow): Promise<Daemon> {
  const action = actionIn(row)
  const [agent = '', heartbeat = ''] = action?.type === 'tick' ? [action.agent, action.heartbeat] : []
  const fire = await latestFireWithSession(db, row.id)
  const session = fire?.session_id == null ? undefined : await findSession(db, fire.session_id)
  const open = session !== undefined && session.status !== 'closed' && session.deleted_at === null
  return {
    agent,
    heartbeat,
    trigger: toTrigger(row),
    ...(open && {
      running: { sessionId: session.id, session: await handleOf(db, session.project_id, session.id) },
    }),
  }
}

function chosen(agent: Agent, named: string | undefined): string {
  const all = heartbeatsOf(agent)
  if (named !== undefined) return named
  if (all.length === 1) return all[0]!
  if (all.length === 0) return agent.name
  throw new AppError('trigger.invalid', `heartbeat: ${agent.name} has several: ${all.join(', ')}.`, {
    hint: 'Name the one to start.',
  })
}

function whenOf({ intervalSeconds, cron, timeZone, onlyIf }: StartDaemon): When | undefined {
  if (cron !== undefined) {
    if (intervalSeconds === undefined && onlyIf === undefined)
      return { type: 'scheduled', config: { cron, ...(timeZone && { timeZone }) } }
    throw new AppError('trigger.invalid', 'cron: it goes neither with intervalSeconds nor with onlyIf.', {
      hint: 'A schedule acts at each of its times; an interval looks first whether something is new.',
    })
  }
  if (intervalSeconds === undefined && onlyIf === undefined) return undefined
  return { type: 'heartbeat', config: { intervalSeconds: intervalSeconds ?? EVERY_SECONDS, ...(onlyIf && { onlyIf }) } }
}

/** What a project's own files would have an agent do by itself needs the person's consent first. */
async function mustBeTrusted(core: Core, project: Project, agent: Agent): Promise<void> {
  const { trusted, acting } = await trustState(core, project)
  if (trusted || acting.length === 0) return
  throw new AppError('trigger.state', `The project is not trusted, so ${agent.name} cannot work in it by itself.`, {
    hint: 'See what acts in it, and decide: troupe trust',
  })
}
