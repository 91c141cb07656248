import type { Agent } from '../../contract/agents.ts'
import { iso } from '../../lib/clock.ts'
import { shorten } from '../../lib/shorten.ts'
import { cutTo } from '../../lib/text.ts'
import { childSessions, findSession, handleOf, selectSessions } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import type { Core } from '../base/index.ts'
import { listAgents, worksIn } from '../config/index.ts'
import { lastWords } from '../sessions/index.ts'
import { resolveReading } from './addresses.ts'
import type { Party } from './party.ts'

const SESSIONS = 5
const LISTED = 50
const SHOWN = 8000

/** The agents a session may reach, how each can be used, and what is open with them. */
export async function reachableAgents(core: Core, by: Party) {
  const agents = (await listAgents(core, by.project)).filter(({ broken, name }) => !broken && by.mayReach(name))
  return Promise.all(
    agents.map(async (agent) => ({
      name: agent.name,
      description: agent.description,
      ...(agent.name === by.session.agent ? { you: true } : {}),
      use: useOf(agent),
      sessions: await openSessions(core.store.read, by, agent.name),
    })),
  )
}

const useOf = (agent: Agent): string[] =>
  [worksIn(agent, 'chat') && 'message', worksIn(agent, 'subagent') && 'spawn'].filter((use) => use !== false)

async function openSessions(db: Db, by: Party, agent: string) {
  const rows = await selectSessions(db, { project: by.project.id, agent, limit: SESSIONS * 2 })
  const open = rows.filter(({ status, mode }) => status !== 'closed' && mode === 'chat').slice(0, SESSIONS)
  return Promise.all(
    open.map(async (row) => ({ handle: await handleOf(db, row.project_id, row.id), status: row.status })),
  )
}

/** What another session does and said last, without disturbing it. */
export async function readSession(core: Core, by: Party, ref: string, offset = 0) {
  const db = core.store.read
  const row = (await findSession(db, await resolveReading(core, by, ref)))!
  const task = row.task_id === null ? undefined : await findTask(db, row.task_id)
  const last = await lastWords(db, row.id)
  return {
    ...(await lineOf(db, row)),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(task === undefined
      ? {}
      : { task: { id: task.id, status: task.status, instruction: shorten(task.instruction, 500) } }),
    lastMessage: cutTo(
      last.slice(offset),
      SHOWN,
      (missing) => `${missing} more characters; go on with offset ${offset + SHOWN}`,
    ),
  }
}

/** The session's parent and children, or all sessions of the project when it may read any. */
export async function listReadable(core: Core, by: Party) {
  const db = core.store.read
  const all = by.permits('session:*')
  const rows = all
    ? await selectSessions(db, { project: by.project.id, limit: LISTED })
    : [...(await parentOf(db, by)), ...(await childSessions(db, by.session.id))]
  return Promise.all(rows.slice(0, LISTED).map((row) => lineOf(db, row, by)))
}

const parentOf = async (db: Db, { session }: Party): Promise<SessionRow[]> => {
  const parent = session.parent_session_id === null ? undefined : await findSession(db, session.parent_session_id)
  return parent === undefined ? [] : [parent]
}

async function lineOf(db: Db, row: SessionRow, by?: Party) {
  const relation =
    by &&
    (row.id === by.session.id
      ? 'you'
      : row.parent_session_id === by.session.id
        ? 'child'
        : row.id === by.session.parent_session_id
          ? 'parent'
          : undefined)
  return {
    session: await handleOf(db, row.project_id, row.id),
    agent: row.agent,
    ...(relation ? { relation } : {}),
    status: row.status,
    title: row.title,
    updatedAt: iso(row.updated_at),
  }
}
