import { rulesOf as alwaysOf } from './allow-always.ts'
import type { Project, Tool } from './core.ts'
import { defaultFor } from './permissions/acts.ts'
import { type RuleSource, type Ruling, ruleOn, rulesOf } from './permissions/rules.ts'
import { settingsWithSources } from './settings.ts'
import type { Sources } from './settings/layers.ts'

export type { RuleSource } from './permissions/rules.ts'

/** The person's and the trusted project's rules, each list with the file it is in; the agent's own come on top. */
export function permissionSources(core: Sources, project: Project): RuleSource[] {
  const always = alwaysOf(core, project.id)
  const settings = settingsWithSources(core, project).flatMap(({ key, value, source, file }): RuleSource[] => {
    const kind = /^permissions\.(allow|ask|deny)$/.exec(key)?.[1]
    return kind === undefined ? [] : [{ from: file ?? source, rules: { [kind]: value as string[] } }]
  })
  return [...settings, { from: always.file, rules: always.rules }]
}

/** What holds for a tool as a whole; rules with a pattern decide call by call. */
export const rule = (tool: Tool, sources: readonly RuleSource[]): Ruling =>
  ruleOn(
    {
      what: tool.name,
      tool: tool.name,
      matches: () => 'no',
      covers: (pattern) => pattern === undefined,
      otherwise: defaultFor(tool),
    },
    rulesOf(sources),
  )
