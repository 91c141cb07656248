import { z } from 'zod'
import { type Agent, type AgentFile, PermissionRules } from '../../contract/agents.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Tool } from '../base/index.ts'
import { matches, toolsInScope } from './scope.ts'

const globs = z.array(z.string()).optional()
const Scope = z.strictObject({ allow: globs, deny: globs }).optional()

/** Who made a session, and what that one was allowed: nothing it makes can do more. */
export const Maker = z.strictObject({
  from: z.string(),
  tools: Scope,
  capabilities: Scope,
  permissions: PermissionRules.optional(),
  /** Tools it may hand on without having them itself. */
  delegate: z.array(z.string()).optional(),
  /** Whom it may see, message and spawn. */
  agents: Scope,
  /** It binds like any other, but is no generation: what a maker handed on, or who wrote to an agent without a session. */
  handed: z.boolean().optional(),
})
export type Maker = z.infer<typeof Maker>

/** From the outermost to the innermost. A row that cannot be read binds to a maker that may do nothing. */
export function makersOf(session: Pick<SessionRow, 'makers'>): Maker[] {
  const read = z.array(Maker).safeParse(parsed(session.makers))
  return read.success ? read.data : [{ from: 'a maker that cannot be read', tools: { allow: [] } }]
}

/** What a session that is made now records: its maker, and that one's makers. */
export const makersFor = (session: Pick<SessionRow, 'makers'>, agent: Agent, definition: AgentFile): Maker[] => [
  ...makersOf(session),
  {
    from: `agent ${agent.name}`,
    tools: definition.tools,
    capabilities: definition.capabilities,
    permissions: definition.permissions,
    delegate: definition.delegate?.allow,
    agents: definition.agents,
  },
]

/** The first maker that has not got this tool and may not hand it on. */
export const withoutTool = (makers: readonly Maker[], tool: Tool): Maker | undefined =>
  makers.find(
    ({ tools, capabilities, delegate }) =>
      !toolsInScope([tool], { tools, capabilities }).has(tool.name) &&
      !delegate?.some((glob) => matches(glob, tool.name)),
  )

/** Whom a session may reach by name: what its definition says, and every maker's. */
export function reaches(definition: Pick<AgentFile, 'agents'>, makers: readonly Maker[], name: string): boolean {
  return [definition, ...makers].every(({ agents }) => {
    const named = (globs: readonly string[]): boolean => globs.some((glob) => matches(glob, name))
    return named(agents?.allow ?? ['*']) && !named(agents?.deny ?? [])
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
