import { join } from 'node:path'
import { PermissionRules } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { readSmall, writeAtomic } from '../../lib/files/files.ts'
import { parseJsonc } from '../../lib/jsonc.ts'
import { findCall } from '../../store/calls.ts'
import type { Db, InboxRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { askedOf } from './asked.ts'
import type { Decision } from './rules.ts'

const rulesFile = ({ home }: Pick<Core, 'home'>, projectId: string): string =>
  join(home, 'projects', projectId, 'permissions.json')

const RULES = 1000

/** What the person allowed, asked for or denied for good in one project; agents cannot write there. */
export function rulesOf(core: Pick<Core, 'home'>, projectId: string): { file: string; rules: PermissionRules } {
  const file = rulesFile(core, projectId)
  const parsed = PermissionRules.safeParse(parseJsonc(readSmall(file)?.text ?? '{}').value)
  return { file, rules: parsed.success ? parsed.data : {} }
}

/** Adds the narrowest rules that cover the approved call: exactly its commands, exactly its files. */
export async function allowAlways(core: Core, db: Db, item: InboxRow): Promise<void> {
  const call = item.call_id === null ? undefined : await findCall(db, item.call_id)
  for (const rule of (call && askedOf(call).always) ?? []) addRule(core, item.project_id, 'allow', rule)
}

export function addRule(core: Pick<Core, 'home'>, projectId: string, decision: Decision, rule: string): void {
  const { file, rules } = checked(core, projectId)
  const list = rules[decision] ?? []
  if (list.includes(rule)) return
  if (list.length >= RULES)
    throw new AppError('permission.invalid', `${file} has ${RULES} rules to ${decision} already.`, {
      hint: 'Remove some with "troupe permissions remove", or write one that covers several.',
    })
  write(file, { ...rules, [decision]: [...list, rule] })
}

/** False when there is no such rule. */
export function removeRule(core: Pick<Core, 'home'>, projectId: string, decision: Decision, rule: string): boolean {
  const { file, rules } = checked(core, projectId)
  const list = rules[decision] ?? []
  if (!list.includes(rule)) return false
  write(file, { ...rules, [decision]: list.filter((one) => one !== rule) })
  return true
}

/** A damaged file grants nothing and is not overwritten. */
function checked(core: Pick<Core, 'home'>, projectId: string): { file: string; rules: PermissionRules } {
  const file = rulesFile(core, projectId)
  const text = readSmall(file)?.text ?? '{}'
  const { value, errors } = parseJsonc(text)
  const parsed = PermissionRules.safeParse(value)
  if (errors.length === 0 && parsed.success) return { file, rules: parsed.data }
  throw new AppError('settings.invalid', `${file} is damaged, so no rule can be written to it.`, {
    hint: 'Repair it in an editor, or remove it.',
  })
}

const write = (file: string, rules: PermissionRules): void =>
  writeAtomic(file, `${JSON.stringify(rules, null, 2)}\n`, 0o600)
