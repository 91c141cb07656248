import { z } from 'zod'
import { type Agent, type AgentFile, PermissionRules } from '../../contract/agents.ts'
import { readJson } from '../../store/drivers/unreadable.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Tool } from '../base/index.ts'
import { isDenied, isIn, toolsInScope } from './scope.ts'

const globs = z.array(z.string()).optional()
const Scope = z.strictObject({ allow: globs, deny: globs }).optional()

/** An agent that made a session, and what that agent was allowed: the session can do no more. */
export const Maker = z.strictObject({
  from: z.string(),
  tools: Scope,
  capabilities: Scope,
  permissions: PermissionRules.optional(),
  /** Tools it may hand on without having them itself. */
  delegate: z.array(z.string()).optional(),
  /** Whom it may see, message and spawn. */
  agents: Scope,
  /** This maker limits the session like any other but adds no spawn depth. It stands for tools given for one task, or for whoever wrote to a new session. */
  handed: z.boolean().optional(),
  /** It was a member of a run then: of the files of that run the session may touch what this member may. */
  run: z.strictObject({ id: z.string(), worker: z.string().optional() }).optional(),
})
export type Maker = z.infer<typeof Maker>

/** The outermost maker comes first. A row that cannot be read counts as a maker that may do nothing. */
export const makersOf = ({ id, makers }: Pick<SessionRow, 'id' | 'makers'>): Maker[] =>
  readJson({ table: 'sessions', key: id, column: 'makers' }, makers, areMakers, [
    { from: 'a maker that cannot be read', tools: { allow: [] } },
  ])

const areMakers = (value: unknown): boolean => Maker.array().safeParse(value).success

/** What a session that is made now records: its maker, after that maker's own makers. */
export const makersFor = (
  session: Pick<SessionRow, 'id' | 'makers' | 'run_id' | 'worker'>,
  agent: Agent,
  definition: AgentFile,
): Maker[] => [
  ...makersOf(session),
  {
    from: `agent ${agent.name}`,
    tools: definition.tools,
    capabilities: definition.capabilities,
    permissions: definition.permissions,
    delegate: definition.delegate?.allow,
    agents: definition.agents,
    ...(session.run_id === null
      ? {}
      : { run: { id: session.run_id, ...(session.worker === null ? {} : { worker: session.worker }) } }),
  },
]

/** The first maker that lacks this tool and may not hand it on. */
export const withoutTool = (makers: readonly Maker[], tool: Tool): Maker | undefined =>
  makers.find(
    ({ tools, capabilities, delegate }) =>
      !toolsInScope([tool], { tools, capabilities }).has(tool.name) &&
      !isIn(delegate ?? [], tool.name) &&
      !isIn(delegate ?? [], tool.ruleName ?? tool.name),
  )

/** Whether a session may reach an agent: its own definition and every maker must allow it. */
export function reaches(definition: Pick<AgentFile, 'agents'>, makers: readonly Maker[], name: string): boolean {
  return [definition, ...makers].every(
    ({ agents }) => isIn(agents?.allow ?? ['*'], name) && !isDenied(agents?.deny ?? [], name),
  )
}
