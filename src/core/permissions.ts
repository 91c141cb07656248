import { join } from 'node:path'
import type { Core, Project } from './core.ts'
import { rulesOf } from './allow-always.ts'
import type { RuleSource } from './permissions/rules.ts'
import { settingsWithSources } from './settings.ts'
import type { Sources } from './settings/layers.ts'

export type { RuleSource } from './permissions/rules.ts'

/** The person's and the trusted project's rules, each list with the file it is in; the agent's own come on top. */
export function permissionSources(core: Sources, project: Project): RuleSource[] {
  const always = rulesOf(core, project.id)
  const settings = settingsWithSources(core, project).flatMap(({ key, value, source, file }): RuleSource[] => {
    const kind = /^permissions\.(allow|ask|deny)$/.exec(key)?.[1]
    return kind === undefined ? [] : [{ from: file ?? source, rules: { [kind]: value as string[] } }]
  })
  return [...settings, { from: always.file, rules: always.rules }]
}
