import type { AgentFile, ModeOverride } from '../../../contract/agents.ts'
import { HookEvent } from '../../../contract/hooks.ts'
import type { Mode } from '../../../contract/sessions.ts'

/** The fields of a definition that hold in a mode; whether it works in that mode at all is `enabled` of its override. */
export function fieldsIn({ modes = {}, ...base }: AgentFile, mode: Mode): AgentFile {
  const override = overrideFor(modes, mode)
  return override ? overridden(base, override) : base
}

export const overrideFor = (modes: NonNullable<AgentFile['modes']>, mode: Mode): ModeOverride | undefined =>
  modes[mode] ?? (mode === 'subagent' ? modes.chat : undefined)

/** A mode adds rules and hooks, so that it cannot drop a deny by accident. In other groups its fields replace the agent's. */
function overridden(base: AgentFile, { enabled: _, ...override }: ModeOverride): AgentFile {
  const merged: Record<string, unknown> = { ...base }
  for (const [field, value] of Object.entries(override)) {
    const old = merged[field]
    if (field === 'permissions') merged[field] = addRules(base.permissions ?? {}, override.permissions ?? {})
    else if (field === 'hooks') merged[field] = addHooks(base.hooks, override.hooks)
    else if (grouped.has(field) && old) merged[field] = { ...(old as object), ...(value as object) }
    else merged[field] = value
  }
  return merged as AgentFile
}

const grouped = new Set(['tools', 'capabilities', 'skills', 'agents', 'limits', 'delegate', 'mcpServers'])

export function addRules(a: NonNullable<AgentFile['permissions']>, b: NonNullable<AgentFile['permissions']>) {
  const kinds = ['allow', 'ask', 'deny'] as const
  return Object.fromEntries(
    kinds
      .map((kind) => [kind, [...new Set([...(a[kind] ?? []), ...(b[kind] ?? [])])]] as const)
      .filter(([, rules]) => rules.length > 0),
  )
}

/** The hooks of both, in this order. */
function addHooks(a: AgentFile['hooks'] = {}, b: AgentFile['hooks'] = {}): NonNullable<AgentFile['hooks']> {
  const lists = HookEvent.options.map((event) => [event, [...(a[event] ?? []), ...(b[event] ?? [])]] as const)
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0))
}
