import type { PermissionRules } from '../contract/agents.ts'
import { rulesOf } from './allow-always.ts'
import type { Core, Project, Tool } from './core.ts'
import { matches } from './scope.ts'
import { effectiveSettings } from './settings.ts'

export interface Ruling {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** The rule or default that decided, in words. */
  readonly because: string
}

/** Where a list of rules comes from; every source counts, and the strictest decision holds. */
export interface RuleSource {
  readonly from: string
  readonly rules: PermissionRules
}

/** deny over ask over allow over the tool's default. */
export function rule(tool: Tool, sources: readonly RuleSource[]): Ruling {
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    for (const source of sources) {
      const pattern = source.rules[decision]?.find((candidate) => matches(candidate, tool.name))
      if (pattern !== undefined) return { decision, because: `rule ${decision} "${pattern}" (${source.from})` }
    }
  }
  const risky = tool.capabilities.find((capability) => askedByDefault.includes(capability))
  return risky === undefined
    ? { decision: 'allow', because: `${tool.name} is allowed by default` }
    : { decision: 'ask', because: `${tool.name} needs "${risky}", which is asked for by default` }
}

const askedByDefault = ['shell', 'net']

/** The person's and the trusted project's rules; the agent's own come on top. */
export async function permissionSources(core: Core, project: Project): Promise<RuleSource[]> {
  const { settings } = await effectiveSettings(core, project)
  const always = rulesOf(core, project.id)
  return [
    { from: 'settings', rules: settings.permissions },
    { from: always.file, rules: always.rules },
  ]
}
