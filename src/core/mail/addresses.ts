import { AppError, isProblem } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { closest } from '../../lib/closest.ts'
import { hasWrittenTo } from '../../store/messages.ts'
import { openRunOf } from '../../store/runs.ts'
import { childSessions, findSession, handleOf, latestSession } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { type Core, callOf, type Project } from '../base/index.ts'
import { agentFor, findAgent, listAgents } from '../config/index.ts'
import { type Maker, makersFor } from '../permissions/index.ts'
import { createSession, findByRef, modelBelow, replayOf } from '../sessions/index.ts'
import { checkFirstMail } from './invoked.ts'
import { memberAt, membersNamed } from './members.ts'
import type { Party, Speaker } from './party.ts'

type Found = { readonly to: 'human' } | There | { readonly to: 'everyone'; readonly sessionIds: readonly SessionId[] }

export interface There {
  readonly to: 'session'
  readonly sessionId: SessionId
  readonly created: boolean
}

/** Which session of an agent: `latest`, `create`, a handle, or (absent) the latest one, made when there is none. */
interface Which {
  readonly session?: string | undefined
  readonly clientId?: string | undefined
  /** What it is to be told. */
  readonly content?: string | undefined
}

/** One resolver for tools, API and CLI. A bare word is a reserved word, an agent, or a handle. */
export async function resolveAddress(core: Core, by: Speaker, to: string, which: Which = {}): Promise<Found> {
  const found = await lookFor(core, by, to, which)
  if (found.to === 'session' && by.kind === 'session' && found.sessionId === by.session.id) {
    throw new AppError('address.self', `"${to}" is yourself.`, {
      hint: `For another session of your own agent say session "create". ${await reachable(core, by)}`,
    })
  }
  return found
}

/** Finds a session to look at: the reader's own, its parent and children, others by permission. Nothing is made. */
export async function resolveReading(core: Core, by: Party, ref: string): Promise<SessionId> {
  const found =
    ref === 'parent'
      ? await parentOf(core, by)
      : ref.startsWith('task:')
        ? await ofTask(core, by, ref.slice('task:'.length), 'read')
        : await ofSession(core, by, ref.replace(/^session:/, ''), 'read')
  return found.sessionId
}

/** The session that an address means now, for rules that name one. Nothing is made; undefined when there is none. */
export async function addressedSession(
  core: Core,
  from: SessionRow,
  project: Project,
  to: string,
  which?: string,
): Promise<SessionId | undefined> {
  const db = core.store.read
  if (to === 'parent') return from.parent_session_id ?? undefined
  const run = which === undefined ? await openRunOf(db, from) : undefined
  const member = run && (await memberAt(db, run, to).catch(() => undefined))
  if (member !== undefined) return 'one' in member ? member.one : undefined
  if (to.startsWith('task:')) return (await findTask(db, to.slice('task:'.length)))?.session_id
  const isAgent = (await listAgents(core, project)).some(({ name }) => name === to)
  const ref = isAgent ? which : to.replace(/^session:/, '')
  if (ref === 'create') return undefined
  if (isAgent && (ref === undefined || ref === 'latest')) return (await latestSession(db, project.id, to))?.id
  return findByRef(db, project.id, ref ?? '').then(
    ({ id }) => id,
    () => undefined,
  )
}

async function lookFor(core: Core, by: Speaker, to: string, which: Which): Promise<Found> {
  if (to === 'human' && by.kind === 'session') return { to: 'human' }
  if (to === 'parent' && by.kind === 'session') return parentOf(core, by)
  const inRun = by.kind === 'session' && which.session === undefined ? await ofRun(core, by, to) : undefined
  if (inRun !== undefined) return inRun
  if (to.startsWith('task:')) return ofTask(core, by, to.slice('task:'.length))
  if (to.startsWith('session:')) return ofSession(core, by, to.slice('session:'.length))
  const agents = await listAgents(core, by.project)
  if (agents.some(({ name }) => name === to)) return ofAgent(core, by, to, which)
  if (/^[0-9a-f-]{4,}$/i.test(to)) return ofSession(core, by, to)
  const meant = closest(
    to,
    agents.filter(({ name }) => by.kind === 'human' || by.mayReach(name)).map(({ name }) => name),
  )
  const hint = await reachable(core, by)
  throw new AppError('address.unknown', unknown(to), { hint: meant ? `Did you mean "${meant}"? ${hint}` : hint })
}

function unknown(to: string): string {
  const shown = to.slice(0, 80)
  if (/^(worker|node|stage):/.test(to) || to === '*') return `"${shown}" is an address inside a run, which this is not.`
  return `Nobody here is called "${shown}".`
}

/** Members of a run reach each other always. */
async function ofRun(core: Core, { session }: Party, to: string): Promise<Found | undefined> {
  const db = core.store.read
  const run = await openRunOf(db, session)
  const found = run && (await memberAt(db, run, to))
  if (found === undefined) return undefined
  if ('one' in found) return there(found.one)
  return { to: 'everyone', sessionIds: found.everyone.filter((id) => id !== session.id) }
}

async function parentOf(core: Core, by: Party): Promise<There> {
  const id = by.session.parent_session_id
  if (id !== null) return there(id)
  throw new AppError('address.unknown', 'No session made this one, so it has no parent.', {
    hint: await reachable(core, by),
  })
}

async function ofTask(core: Core, by: Speaker, id: string, act: Access = 'write'): Promise<There> {
  const task = await findTask(core.store.read, id)
  if (task === undefined || task.project_id !== by.project.id) {
    throw new AppError('task.not_found', `There is no task "${id.slice(0, 80)}".`, { hint: await reachable(core, by) })
  }
  return ofSession(core, by, task.session_id, act)
}

type Access = 'write' | 'read'

async function ofSession(core: Core, by: Speaker, ref: string, act: Access = 'write'): Promise<There> {
  const row = await findHere(core, by, ref, act)
  if (by.kind === 'human') return there(row.id)
  const related = row.parent_session_id === by.session.id || by.session.parent_session_id === row.id
  const allowed =
    related ||
    row.id === by.session.id ||
    by.permits(`session:${row.id}`) ||
    // A session may answer whoever wrote to it, but not read them.
    (act === 'write' && (await hasWrittenTo(core.store.read, by.session.id, row.id)))
  if (allowed) return there(row.id)
  throw new AppError(
    'address.not_allowed',
    `The session ${ref.slice(0, 40)} is not yours to ${act === 'read' ? 'read' : 'address'}.`,
    {
      hint: `You ${act} your own parent and children, and others only by permission. ${await reachable(core, by)}`,
    },
  )
}

/** When nothing is found, the error says what can be reached. */
async function findHere(core: Core, by: Speaker, ref: string, act: Access): Promise<SessionRow> {
  try {
    const row = await findByRef(core.store.read, by.project.id, ref)
    // An id finds its session in any project, but only for a person.
    if (by.kind === 'human' || row.project_id === by.project.id) return row
    throw new AppError('session.not_found', `No session has the handle "${ref.slice(0, 80)}".`)
  } catch (error) {
    if (!isProblem(error)) throw error
    const code = error.code === 'session.deleted' && act === 'write' ? 'mail.undeliverable' : error.code
    const hint = `${error.hint ?? ''} ${await reachable(core, by)}`.trim()
    throw new AppError(code, error.message, { hint, details: error.details })
  }
}

async function ofAgent(core: Core, by: Speaker, name: string, { session, clientId, content }: Which): Promise<Found> {
  if (by.kind === 'session' && !by.mayReach(name)) {
    throw new AppError('address.not_allowed', `You may not reach ${name}.`, { hint: await reachable(core, by) })
  }
  if (session !== undefined && session !== 'latest' && session !== 'create') return oneOf(core, by, name, session)
  await findAgent(core, by.project, name)
  // Whom a replayed session writes to is replayed too: nobody else is woken by it.
  const model = by.kind === 'session' ? await modelBelow(core.store.read, by.session, callOf(clientId)) : undefined
  const latest =
    session === 'create' ? undefined : await latestSession(core.store.read, by.project.id, name, replayOf(model))
  if (latest !== undefined) return there(latest.id)
  if (session === 'latest') {
    throw new AppError('address.unknown', `${name} has no session yet.`, {
      hint: `Leave "session" out to make one. ${await reachable(core, by)}`,
    })
  }
  if (by.kind === 'session') await checkFirstMail(core, by.project, name, content)
  // The session is made for that one mail: the same mail sent again finds it.
  const key = clientId === undefined ? {} : { clientId: `mail:${clientId}` }
  const makers = by.kind === 'session' ? await makersBy(core, by) : []
  const made = await createSession(
    core,
    by.project,
    { agent: name, ...key, ...(model !== undefined && { model }) },
    { makers, unlessThere: session !== 'create' },
  )
  return { to: 'session', sessionId: made.id, created: true }
}

/** A session that is named together with an agent must be that agent's. */
async function oneOf(core: Core, by: Speaker, name: string, ref: string): Promise<There> {
  const found = await ofSession(core, by, ref)
  if ((await findSession(core.store.read, found.sessionId))?.agent === name) return found
  throw new AppError('address.unknown', `The session ${ref.slice(0, 40)} is not one of ${name}.`, {
    hint: `Name the session alone, or leave "session" out. ${await reachable(core, by)}`,
  })
}

/** A session that begins with an agent's message records the writer as its maker, without adding spawn depth. */
async function makersBy(core: Core, { session, project }: Party): Promise<Maker[]> {
  const agent = await findAgent(core, project, session.agent)
  return makersFor(session, agent, agentFor(agent, session.mode)).map((maker, at, { length }) =>
    at === length - 1 ? { ...maker, handed: true } : maker,
  )
}

const there = (sessionId: SessionId): There => ({ to: 'session', sessionId, created: false })

const LISTED = 20

/** Whom the speaker can reach, as a sentence for errors. */
export async function reachable(core: Core, by: Speaker): Promise<string> {
  const agents = (await listAgents(core, by.project)).filter(({ broken }) => !broken)
  if (by.kind === 'human') return `Agents: ${names(agents)}. A session is addressed by its handle.`
  const db = core.store.read
  const children = (await childSessions(db, by.session.id)).filter(({ status }) => status !== 'closed')
  const handles = await Promise.all(children.slice(0, LISTED).map(({ id, project_id }) => handleOf(db, project_id, id)))
  const parent = by.session.parent_session_id && (await findSession(db, by.session.parent_session_id))
  const run = await openRunOf(db, by.session)
  return [
    ...(run ? [await membersNamed(db, run)] : []),
    `You can reach: ${names(agents.filter(({ name }) => by.mayReach(name) && name !== by.session.agent)) || 'no agent by name'}`,
    ...(handles.length > 0 ? [`your children ${handles.join(', ')}`] : []),
    ...(parent ? ['parent'] : []),
    'human.',
  ].join('; ')
}

const names = (agents: readonly { name: string }[]): string =>
  agents
    .slice(0, 50)
    .map(({ name }) => name)
    .join(', ')
