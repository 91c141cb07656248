import type { Problem } from '../../../contract/agents.ts'
import type { Leaves } from './leaves.ts'

/** Settings that are accepted although nothing reads them yet, and why. Whoever builds the part removes its line. */
export const idleSettings: Readonly<Record<string, string>> = {}

/** Settings of which one value has no effect. */
export const idleValues: Readonly<Record<string, { readonly value: unknown; readonly why: string }>> = {
  titles: { value: 'model', why: 'a title is always the first line of the first message' },
}

/** Reports settings without effect, so that nobody relies on them. */
export const idleSettingProblems = (leaves: Leaves, file: string): Problem[] =>
  [...leaves].flatMap(([field, value]) => {
    const why = idleSettings[field] ?? (idleValues[field]?.value === value ? idleValues[field]?.why : undefined)
    return why === undefined ? [] : [{ file, field, message: noEffectYet(why) }]
  })

export const noEffectYet = (why: string): string => `has no effect yet: ${why}`
