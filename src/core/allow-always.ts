import { join } from 'node:path'
import { PermissionRules } from '../contract/agents.ts'
import { readSmall, writeAtomic } from '../lib/files.ts'
import { parseJsonc } from '../lib/jsonc.ts'
import { findCall } from '../store/calls.ts'
import type { InboxRow } from '../store/tables.ts'
import type { Core } from './core.ts'

const rulesFile = (core: Core, projectId: string): string => join(core.home, 'projects', projectId, 'permissions.json')

/** What the person allowed for good in one project, by answering "always". */
export function rulesOf(core: Core, projectId: string): { file: string; rules: PermissionRules } {
  const file = rulesFile(core, projectId)
  const parsed = PermissionRules.safeParse(parseJsonc(readSmall(file)?.text ?? '{}').value)
  return { file, rules: parsed.success ? parsed.data : {} }
}

/** The narrowest rule that covers the approved call, kept in <home>, where no agent can write. */
export async function allowAlways(core: Core, item: InboxRow): Promise<void> {
  const call = item.call_id === null ? undefined : await findCall(core.store.read, item.call_id)
  if (call === undefined) return
  const { file, rules } = rulesOf(core, item.project_id)
  if (rules.allow?.includes(call.name)) return
  writeAtomic(file, `${JSON.stringify({ ...rules, allow: [...(rules.allow ?? []), call.name] }, null, 2)}\n`, 0o600)
}
