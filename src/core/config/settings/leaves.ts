import type { SettingsSource } from '../../../contract/settings.ts'

/** Settings taken apart: dotted key to value. `leavesOf` alone decides what is one value and what has parts. */
export type Leaves = Map<string, unknown>

export interface Layer {
  readonly source: SettingsSource
  readonly file?: string
  readonly leaves: Leaves
}

export function leavesOf(value: object, prefix = '', into: Leaves = new Map()): Leaves {
  for (const [name, part] of Object.entries(value)) {
    const key = prefix === '' ? name : `${prefix}.${name}`
    if (key === '$schema' || part === undefined) continue
    if (isObject(part) && !isWhole(key)) leavesOf(part, key, into)
    else into.set(key, part)
  }
  return into
}

/** The strongest layer comes first. Lists of rules and hooks add up; any other value is that of the strongest layer with one. */
export function merge(layers: readonly Layer[]): Leaves {
  const merged: Leaves = new Map()
  for (const { leaves } of layers) {
    for (const [key, value] of leaves) {
      if (!merged.has(key)) merged.set(key, value)
      else if (addsUp(key)) merged.set(key, [...new Set([merged.get(key), value].flat())])
    }
  }
  return merged
}

export function treeOf(leaves: Leaves): Record<string, unknown> {
  const tree: Record<string, unknown> = {}
  for (const [key, value] of leaves) {
    const path = key.split('.')
    const last = path.pop() ?? key
    let holder = tree
    for (const step of path) {
      holder[step] ??= {}
      holder = holder[step] as Record<string, unknown>
    }
    holder[last] = value
  }
  return tree
}

export const addsUp = (key: string): boolean => /^(permissions\.(allow|ask|deny)|hooks\.\w+)$/.test(key)

/** A provider or a server is one value: an address from one file is never joined with a key from another. */
const isWhole = (key: string): boolean => /^((providers|mcpServers|channels\.to)\.[^.]+|webSearch)$/.test(key)

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
