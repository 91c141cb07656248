import type { AgentPreview } from '../../../src/contract/agent-preview.ts'
import type { AgentFile } from '../../../src/contract/agents.ts'

/** What an agent may do with a tool, as a person chooses it. */
export type ToolChoice = 'off' | 'ask' | 'allow'

export interface ToolStanding {
  /** Not known while the server has not said. */
  readonly choice: ToolChoice | undefined
  /** The rule that decides. */
  readonly because: string
  /** The definition itself names the tool. */
  readonly own: boolean
}

/** As the definition stands; what it does not say itself, the server's preview of it says. */
export function toolStanding(definition: AgentFile, tool: string, preview: AgentPreview | undefined): ToolStanding {
  const own = namesTool(definition, tool)
  if (preview?.tools !== undefined && !preview.tools.includes(tool))
    return { choice: 'off', because: whyOff(definition, tool), own }
  const ruling = preview?.permissions?.[tool]
  if (ruling === undefined) return { choice: undefined, because: '', own }
  return { choice: ruling.decision === 'deny' ? 'off' : ruling.decision, because: ruling.because, own }
}

const whyOff = ({ tools, capabilities }: AgentFile, tool: string): string => {
  if (tools?.deny?.includes(tool)) return 'tools.deny in agent.json'
  if (tools?.allow !== undefined && !tools.allow.includes(tool)) return 'not in tools.allow of agent.json'
  if (tools?.deny !== undefined) return 'a pattern of tools.deny in agent.json'
  return capabilities === undefined ? 'not offered in this mode' : 'capabilities in agent.json'
}

const lists = ['allow', 'ask', 'deny'] as const

const namesTool = ({ tools, permissions }: AgentFile, tool: string): boolean =>
  [tools?.allow, tools?.deny, permissions?.allow, permissions?.ask, permissions?.deny].some((list) =>
    list?.includes(tool),
  )

/** The definition in which the tool is off, asked for or allowed; `undefined` leaves it to the defaults and the other rules. */
export function withTool(definition: AgentFile, tool: string, choice: ToolChoice | undefined): AgentFile {
  const tools = { ...definition.tools }
  const permissions = { ...definition.permissions }
  tools.deny = without(tools.deny, tool)
  for (const list of lists) permissions[list] = without(permissions[list], tool)
  if (choice === 'off') tools.deny = [...(tools.deny ?? []), tool]
  else if (choice !== undefined) {
    if (tools.allow !== undefined && !tools.allow.some((pattern) => fits(pattern, tool)))
      tools.allow = [...tools.allow, tool]
    permissions[choice] = [...(permissions[choice] ?? []), tool]
  }
  return { ...definition, tools: kept(tools), permissions: kept(permissions) }
}

const fits = (pattern: string, tool: string): boolean =>
  pattern === tool || (pattern.endsWith('*') && tool.startsWith(pattern.slice(0, -1)))

function without(list: string[] | undefined, tool: string): string[] | undefined {
  const left = list?.filter((rule) => rule !== tool)
  return left?.length ? left : undefined
}

/** A group without anything in it is left out. */
function kept<T extends object>(group: T): T | undefined {
  const entries = Object.entries(group).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T)
}

/** The rules about some calls of the tool, such as `bash(git log *)`. */
export const rulesAbout = ({ permissions }: AgentFile, tool: string) =>
  lists.flatMap((decision) =>
    (permissions?.[decision] ?? [])
      .filter((rule) => rule.startsWith(`${tool}(`))
      .map((rule) => ({ decision, rule }) as const),
  )
