import { resolve } from 'node:path'
import type { AgentFile } from '../../../contract/agents.ts'
import { isInside, realPath } from '../../../lib/files/files.ts'
import { asObject } from '../../../lib/json.ts'
import type { Leaves } from '../settings/leaves.ts'
import { isLower } from '../settings/tighten.ts'

interface ActingField {
  readonly path: readonly string[]
  readonly value: unknown
}

/** These fields only narrow, so they need no trust; but whoever trusted the project trusted it with them. */
const narrowing = new Set(['tools', 'capabilities', 'agents', 'visible', 'enabled'])

/** These describe or choose a model. Every other field acts: it grants, reaches out or runs. */
const harmless = new Set([
  ...narrowing,
  '$schema',
  'name',
  'displayName',
  'description',
  'model',
  'fallbackModels',
  'temperature',
  'maxOutputTokens',
  'reasoning',
  'toolExposure',
  'skills',
  'icon',
  'color',
])

/** The fields of a definition that need the person's trust. */
export function actingFields(fields: unknown, prefix: readonly string[] = []): ActingField[] {
  return Object.entries(asObject(fields)).flatMap(([name, value]): ActingField[] => {
    const path = [...prefix, name]
    if (harmless.has(name)) return []
    if (name === 'permissions') {
      const grants = Object.entries(asObject(value)).filter(([decision]) => decision !== 'deny' && decision !== 'ask')
      return grants.map(([decision, rules]) => ({ path: [...path, decision], value: rules }))
    }
    if (name === 'modes')
      return Object.entries(asObject(value)).flatMap(([mode, it]) => actingFields(it, [...path, mode]))
    if (name === 'runtime' && asObject(value).kind === 'model') return []
    if (name === 'workspace' && typeof value === 'string') return []
    return [{ path, value }]
  })
}

/** What a definition forbids itself, as one value: a field of a mode may take back what another field says. */
export function restrictionsIn(fields: unknown): Record<string, unknown> {
  const { permissions, modes, ...rest } = asObject(fields)
  const { deny, ask } = asObject(permissions)
  const inModes = Object.entries(asObject(modes)).map(([mode, it]) => [mode, restrictionsIn(it)] as const)
  const own = Object.entries(rest).filter(([name]) => narrowing.has(name))
  const found = [...own, ['deny', deny], ['ask', ask], ...inModes.filter(([, it]) => Object.keys(it).length > 0)]
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

/** A definition as it counts in a project that is not trusted: no field acts, limits only lower the person's own. */
export function withoutActing(
  definition: AgentFile,
  folder: string,
  personal: Leaves,
): { definition: AgentFile; removed: string[] } {
  const copy = structuredClone(definition)
  const removed: string[] = []
  for (const { path, value } of actingFields(definition)) {
    const name = path.at(-1)
    if (name === 'workspace' && staysInside(value, folder)) continue
    const holder = path.slice(0, -1).reduce((at, step) => asObject(at[step]), copy as Record<string, unknown>)
    if (name === 'limits') holder.limits = lowered(asObject(value), personal)
    else if (name !== undefined) delete holder[name]
    if (name !== 'limits' || Object.keys(asObject(holder.limits)).length < Object.keys(asObject(value)).length)
      removed.push(path.join('.'))
  }
  return { definition: copy, removed }
}

const lowered = (limits: Record<string, unknown>, personal: Leaves): Record<string, unknown> =>
  Object.fromEntries(Object.entries(limits).filter(([name, value]) => isLower(value, personal.get(`limits.${name}`))))

function staysInside(workspace: unknown, folder: string): boolean {
  const { path, repos } = asObject(workspace)
  return [path, repos]
    .flat()
    .filter((each) => each !== undefined)
    .every((each) => isInside(realPath(resolve(folder, String(each))), folder))
}
