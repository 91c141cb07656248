import { AppError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { latestSession } from '../store/sessions.ts'
import { findAgent, listAgents } from './agents.ts'
import type { Core, Project } from './core.ts'
import { createSession, getSession } from './sessions/operations.ts'

/**
 * One resolver for tools, API and CLI. `session` says which session of an agent: `latest`, `create`, a handle, or (absent)
 * the latest one, made when there is none.
 */
export async function resolveAddress(
  core: Core,
  project: Project,
  to: string,
  session?: string,
  clientId?: string,
): Promise<{ sessionId: SessionId; created: boolean }> {
  if (to.startsWith('session:')) return existing(await getSession(core, project.id, to.slice('session:'.length)))
  const agents = await listAgents(core, project)
  if (agents.some(({ name }) => name === to)) return ofAgent(core, project, to, session, clientId)
  if (/^[0-9a-f-]{4,}$/i.test(to)) return existing(await getSession(core, project.id, to))
  throw new AppError('address.unknown', `Nobody here is called "${to}".`, {
    hint: `Agents: ${agents
      .filter(({ broken }) => !broken)
      .map(({ name }) => name)
      .join(', ')}. A session is addressed by its handle.`,
  })
}

async function ofAgent(core: Core, project: Project, name: string, session?: string, clientId?: string) {
  if (session !== undefined && session !== 'latest' && session !== 'create')
    return existing(await getSession(core, project.id, session))
  await findAgent(core, project, name)
  const latest = session === 'create' ? undefined : await latestSession(core.store.read, project.id, name)
  if (latest !== undefined) return existing(latest)
  if (session === 'latest') {
    throw new AppError('address.unknown', `${name} has no session yet.`, { hint: 'Leave "session" out to make one.' })
  }
  // Made for that one mail: when it is sent again, it finds the same session.
  const made = clientId === undefined ? {} : { clientId: `mail:${clientId}` }
  return { sessionId: (await createSession(core, project, { agent: name, ...made })).id, created: true }
}

const existing = ({ id }: { id: SessionId }) => ({ sessionId: id, created: false })
