import type { AgentFile, AgentLimits } from '../../../contract/agents.ts'
import { Mode } from '../../../contract/sessions.ts'
import { nameGlob } from '../../../lib/wildcard.ts'
import { addRules, fieldsIn, overrideFor } from './modes.ts'

type Lists = NonNullable<AgentFile['tools']>

/**
 * The definition of an agent that an untrusted project brings under the name of one that was there before: whatever bound
 * that one binds it too, in every mode, and what that one may do beyond the rules is not handed on.
 */
export function boundBy(before: AgentFile, given: AgentFile): AgentFile {
  const hidden = before.visible === false && { visible: false }
  const bound = { ...given, ...limitsOfBoth(before, given), ...hidden }
  if (before.modes === undefined && given.modes === undefined) return bound
  const modes = Mode.options.map((mode) => {
    const own = overrideFor(given.modes ?? {}, mode)
    const off = [own, overrideFor(before.modes ?? {}, mode)].some((override) => override?.enabled === false)
    // A mode adds its hooks to those that hold in every mode.
    const { hooks: _, ...fields } = limitsOfBoth(fieldsIn(before, mode), fieldsIn(given, mode))
    const hooks = overrideFor(before.modes ?? {}, mode)?.hooks
    return [mode, { ...own, ...fields, ...(hooks && { hooks }), ...(off && { enabled: false }) }] as const
  })
  return { ...bound, modes: Object.fromEntries(modes) }
}

function limitsOfBoth(before: AgentFile, given: AgentFile): AgentFile {
  const fields: AgentFile = {
    tools: both(before.tools, given.tools),
    capabilities: both(before.capabilities, given.capabilities),
    agents: both(before.agents, given.agents),
    permissions: rulesOfBoth(before, given),
    limits: lowest(before.limits, given.limits),
    maxOutputTokens: lower(before.maxOutputTokens, given.maxOutputTokens),
    // These are choices and not amounts, so that of the person stays.
    model: before.model ?? given.model,
    fallbackModels: before.model ? before.fallbackModels : given.fallbackModels,
    runtime: before.runtime ?? given.runtime,
    workspace: before.workspace ?? given.workspace,
    // The project's own ones are gone by now, as it is not trusted.
    hooks: before.hooks,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function both(a: Lists | undefined, b: Lists | undefined): Lists | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const deny = [...new Set([...(a.deny ?? []), ...(b.deny ?? [])])]
  const allow = inBoth(a.allow, b.allow)
  return { ...(allow && { allow }), ...(deny.length > 0 && { deny }) }
}

/** No list allows all. Of two globs that only overlap neither is kept: what both match cannot be written as one. */
function inBoth(a: string[] | undefined, b: string[] | undefined): string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return [...new Set([...a.filter((glob) => isCovered(glob, b)), ...b.filter((glob) => isCovered(glob, a))])]
}

const isCovered = (glob: string, by: readonly string[]): boolean =>
  by.some((other) => other === glob || other === '*' || (isName(glob) && nameGlob(other)?.(glob) === true))

const isName = (glob: string): boolean => /^[\w.:-]+$/.test(glob)

function rulesOfBoth({ permissions: a }: AgentFile, { permissions: b }: AgentFile): AgentFile['permissions'] {
  if (a === undefined && b === undefined) return undefined
  const { allow: _, ...rules } = addRules(a ?? {}, b ?? {})
  return rules
}

function lowest(a: AgentLimits | undefined, b: AgentLimits | undefined): AgentLimits | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const names = Object.keys({ ...a, ...b }) as (keyof AgentLimits)[]
  return Object.fromEntries(names.map((name) => [name, lower(a[name], b[name])]))
}

const lower = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
