import { AppError } from '../../contract/errors.ts'
import type { ChangePermission, Permission } from '../../contract/permissions.ts'
import type { Project } from '../base/index.ts'
import { patchSettings, type Sources, settingsWithSources } from '../config/index.ts'
import { addRule, removeRule, rulesToAllow } from './always.ts'
import { type RuleDecision, type RuleSource, rulesOf } from './rules.ts'

/** The person's and the trusted project's rules, each list with the file it is in; the agent's own come on top. */
export function permissionSources(core: Sources, project: Project): RuleSource[] {
  const always = rulesToAllow(core, project.id)
  const settings = settingsWithSources(core, project).flatMap(({ key, value, source, file }): RuleSource[] => {
    const kind = /^permissions\.(allow|ask|deny)$/.exec(key)?.[1]
    return kind === undefined ? [] : [{ from: file ?? source, rules: { [kind]: value as string[] } }]
  })
  return [...settings, { from: always.file, rules: always.rules }]
}

export function listPermissions(core: Sources, project: Project): Permission[] {
  return rulesOf(permissionSources(core, project)).map(({ decision, text, from }) => ({ decision, rule: text, from }))
}

/** Only a person's act may come here. */
export async function addPermission(core: Sources, project: Project, change: ChangePermission): Promise<void> {
  const rule = change.rule.trim()
  if (!change.global) return addRule(core, project.id, change.decision, rule)
  const list = globalRules(core, project, change.decision)
  if (!list.includes(rule)) await setGlobal(core, project, change.decision, [...list, rule])
}

export async function removePermission(core: Sources, project: Project, change: ChangePermission): Promise<void> {
  const rule = change.rule.trim()
  const list = change.global ? globalRules(core, project, change.decision) : []
  if (list.includes(rule)) {
    const left = list.filter((one) => one !== rule)
    return setGlobal(core, project, change.decision, left.length > 0 ? left : null)
  }
  if (!change.global && removeRule(core, project.id, change.decision, rule)) return
  const found = listPermissions(core, project).find((one) => one.rule === rule && one.decision === change.decision)
  throw new AppError('permission.not_found', `There is no rule ${change.decision} "${rule}" to remove here.`, {
    hint: found ? `It is in ${found.from}.` : 'List them with: troupe permissions list',
  })
}

const globalRules = (core: Sources, project: Project, decision: RuleDecision): string[] =>
  settingsWithSources(core, project)
    .filter(({ key, source }) => source === 'home' && key === `permissions.${decision}`)
    .flatMap(({ value }) => value as string[])

const setGlobal = (core: Sources, project: Project, decision: RuleDecision, rules: string[] | null): Promise<void> =>
  patchSettings(core, project, 'home', { [`permissions.${decision}`]: rules })
