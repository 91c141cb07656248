import type { AgentFile } from '../../contract/agents.ts'
import type { ChangeSession, CreateSession } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { begunBy, isReplay } from '../../contract/recordings.ts'
import type { Session } from '../../contract/sessions.ts'
import { suggestion } from '../../lib/closest.ts'
import { hex } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { putProject } from '../../store/projects.ts'
import { thawPrompt } from '../../store/prompts.ts'
import { nothingSpent, nothingUsed } from '../../store/request-tables.ts'
import {
  findSession,
  findSessionByClient,
  handleOf,
  latestSession,
  type SessionQuery,
  selectSessions,
  sessionsByPrefix,
  toSession,
} from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { aboutSession, type Core, onSession, type Project, transact } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent, folderInside, ownFolder, ownFolderInside } from '../config/index.ts'
import type { Maker } from '../permissions/index.ts'
import { type Place, placeFor } from './place.ts'
import { addSession, INITIAL } from './row.ts'

export async function createSession(
  core: Core,
  project: Project,
  body: CreateSession,
  { makers = [], unlessThere = false }: { makers?: readonly Maker[]; unlessThere?: boolean } = {},
): Promise<Session> {
  const agent = await findAgent(core, project, body.agent)
  const definition = agentFor(agent, body.mode ?? 'chat')
  const { settings } = await effectiveSettings(core, project)
  const row = await transact(core, 'session.create', async (tx) => {
    // First, because this locks the project's row: of two requests with the same clientId, the second sees the first.
    await putProject(tx.db, project, tx.now)
    const earlier = body.clientId && (await findSessionByClient(tx.db, project.id, body.clientId))
    if (earlier) return earlier
    const latest = unlessThere && (await latestSession(tx.db, project.id, body.agent, replayOf(body.model)))
    if (latest) return latest
    const fresh = newSession(project, body, tx.now, {
      workspace: workspaceFor(core, project, body, definition, makers),
      wakeBudget: settings.loop.autoWakeBudget,
      ...placeFor(core, definition),
    })
    fresh.makers = JSON.stringify(makers)
    await addSession(tx, fresh)
    return fresh
  })
  return toSession(core.store.read, row)
}

/** The session with which the replay began, of which a session with this model would be a part. */
export const replayOf = (model: string | undefined): string | undefined =>
  model !== undefined && isReplay(model) ? begunBy(model) : undefined

/** An id finds its session in any project; a handle prefix only in its own. */
export async function getSession(
  core: Core,
  projectId: string,
  ref: string,
  db: Db = core.store.read,
): Promise<Session> {
  return toSession(db, await findByRef(db, projectId, ref))
}

export async function findByRef(db: Db, projectId: string, ref: string): Promise<SessionRow> {
  const prefix = ref.toLowerCase()
  if (!/^[0-9a-f-]{4,64}$/.test(prefix)) {
    throw new AppError(
      'session.bad_ref',
      `"${shorten(ref, 80)}" is not a session: use its handle, 4 or more of 0-9 and a-f.`,
      { hint: '"troupe sessions" lists them.' },
    )
  }
  const exact = prefix.length === 32 ? await findSession(db, prefix) : undefined
  const found = exact ? [exact] : await sessionsByPrefix(db, projectId, prefix, 10)
  if (found.length > 1) throw await ambiguous(db, projectId, ref, found)
  const row = found[0]
  if (row === undefined) throw await notFound(db, projectId, ref)
  if (row.deleted_at !== null) throw deleted(ref)
  return row
}

/** `pinned`: behind the first page stand the pinned ones that are too old for it. */
export async function listSessions(
  core: Core,
  { pinned, ...query }: SessionQuery,
  db: Db = core.store.read,
): Promise<{ items: Session[]; nextCursor?: string }> {
  const rows = await selectSessions(db, query)
  const full = rows.length === query.limit
  const kept = pinned && full && query.cursor === undefined ? await selectSessions(db, { ...query, pinned }) : []
  const older = kept.filter(({ id }) => rows.every((row) => row.id !== id))
  const items = await Promise.all([...rows, ...older].map((row) => toSession(db, row)))
  const last = rows.at(-1)
  return full && last ? { items, nextCursor: `${last.updated_at}.${last.id}` } : { items }
}

export async function changeSession(core: Core, id: SessionId, change: ChangeSession): Promise<Session> {
  return changed(core, id, 'session.change', async (tx, session) => {
    if (change.title !== undefined) session.title = change.title
    if (change.pinned !== undefined) session.pinned_at = change.pinned ? (session.pinned_at ?? tx.now) : null
    if (change.attributes !== undefined) session.attributes = JSON.stringify(change.attributes)
    if (change.unattended !== undefined) session.unattended = change.unattended
    if (change.questions !== undefined) session.questions = change.questions
    if (change.model !== undefined && change.model !== session.model) {
      session.model = change.model
      await thawPrompt(tx.db, session.id)
    }
    session.updated_at = tx.now
    tx.record('session.updated', aboutSession(session), { changed: { ...change } })
  })
}

/** A person's reading does not concern the agent: the session is not woken. */
export async function markRead(core: Core, id: SessionId, seq: number): Promise<Session> {
  await onSession(core, id, 'session.read', async (tx, session) => {
    if (session.deleted_at !== null) throw await gone(tx.db, session)
    session.read_seq = Math.max(session.read_seq, Math.min(seq, session.next_seq - 1))
    tx.record('session.updated', aboutSession(session), { changed: { readSeq: session.read_seq } })
  })
  const db = core.store.read
  return toSession(db, (await findSession(db, id))!)
}

/** Changes the row of a session that is not deleted, and returns the session as it is then. */
export async function changed(
  core: Core,
  id: SessionId,
  name: string,
  work: Parameters<typeof onSession<void>>[3],
): Promise<Session> {
  await onSession(core, id, name, async (tx, session) => {
    if (session.deleted_at !== null) throw await gone(tx.db, session)
    await work(tx, session)
  })
  core.wake(id)
  const db = core.store.read
  return toSession(db, (await findSession(db, id))!)
}

export const gone = async (db: Db, { id, project_id }: SessionRow): Promise<AppError> =>
  deleted(await handleOf(db, project_id, id))

const deleted = (handle: string): AppError =>
  new AppError('session.deleted', `The session ${handle} was deleted.`, { hint: 'It does not come back: use another.' })

/** The handle that people and agents see. */
export const shownHandle = ({ store }: Core, { id, project_id }: SessionRow): Promise<string> =>
  handleOf(store.read, project_id, id)

/** The folder that the person names, else the one in the agent's definition, else the project. */
function workspaceFor(
  core: Core,
  project: Project,
  { agent, workspace }: CreateSession,
  definition: AgentFile,
  makers: readonly Maker[],
): string {
  if (workspace !== undefined) return folderInside(core, project, workspace)
  return makers.length === 0 ? ownFolder(core, project, definition) : ownFolderInside(core, project, definition, agent)
}

export function newSession(
  project: Project,
  body: Pick<CreateSession, 'agent'> & Partial<CreateSession>,
  at: number,
  more: Place & { workspace: string; wakeBudget: number },
): SessionRow {
  return {
    ...INITIAL,
    id: hex(16),
    project_id: project.id,
    agent: body.agent,
    mode: body.mode ?? 'chat',
    parent_session_id: null,
    makers: '[]',
    client_id: body.clientId ?? null,
    title: body.title ?? '',
    pinned_at: null,
    attributes: JSON.stringify(body.attributes ?? {}),
    model: body.model ?? null,
    workspace: more.workspace,
    host: more.host,
    moves: more.moves,
    unattended: body.unattended ?? null,
    questions: body.questions ?? null,
    paused_with: null,
    message_count: 0,
    next_seq: 1,
    next_mail: 1,
    log_version: 0,
    ...nothingUsed,
    ...nothingSpent,
    compaction_count: 0,
    compact_focus: null,
    auto_wake_budget: more.wakeBudget,
    wakes_spent: 0,
    last_snippet: '',
    read_seq: 0,
    task_id: null,
    run_id: null,
    worker: null,
    node_id: null,
    came_from: null,
    switch_id: null,
    hooks: null,
    priority: 0,
    hidden: 0,
    created_at: at,
    updated_at: at,
  }
}

async function ambiguous(db: Db, projectId: string, ref: string, found: SessionRow[]): Promise<AppError> {
  const handles = await Promise.all(found.map(({ id }) => handleOf(db, projectId, id)))
  return new AppError('session.ambiguous', `"${ref}" fits ${found.length} sessions: ${handles.join(', ')}.`, {
    hint: 'Add one more character.',
    details: { candidates: handles },
  })
}

async function notFound(db: Db, projectId: string, ref: string): Promise<AppError> {
  const all = await selectSessions(db, { project: projectId, limit: 50 })
  const open = all.filter(({ status }) => status !== 'closed').slice(0, 10)
  const handles = await Promise.all(open.map(({ id }) => handleOf(db, projectId, id)))
  return new AppError('session.not_found', `No session has the handle "${ref}".`, {
    hint: handles.length > 0 ? suggestion(ref, handles, 'Open here') : 'No session is open here.',
    details: { open: handles },
  })
}
