import type { SessionRow } from '../../store/tables.ts'
import { findAgent } from '../config/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { line } from '../waits/index.ts'
import type { Look } from './reason.ts'

const NAMED = 5
const REASON_CHARS = 200

/** Servers without whose tools the agent works now. */
export async function serverNotes(look: Look, session: SessionRow): Promise<string[]> {
  if (session.status === 'closed') return []
  const { core } = look
  const project = await projectOfSession(core, session)
  const agent = await findAgent(core, project, session.agent).catch(() => undefined)
  const servers = await core.mcp.list(core, { project, ...(agent && { agent }) })
  return servers
    .filter(({ state }) => state === 'down' || state === 'login')
    .slice(0, NAMED)
    .map(({ name, state, reason = 'not told' }) => {
      const way = state === 'login' ? `troupe mcp login ${name}` : `troupe mcp logs ${name}`
      return `It works without the MCP server ${name}, which is down: ${line(look, reason, REASON_CHARS)}. See "${way}".`
    })
}
