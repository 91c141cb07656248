import schema from '../../../docs/schemas/settings.schema.json' with { type: 'json' }
import type { Setting, SettingsView } from '../../../src/contract/settings.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** What of a JSON Schema a field is drawn from. */
export interface SettingSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SettingSchema[]
  readonly const?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, SettingSchema>>
  readonly additionalProperties?: unknown
}

/** A key that can be set: with its value where it has one, and with what it means. */
export interface SettingRow {
  readonly key: string
  readonly setting: Setting | undefined
  readonly schema: SettingSchema | undefined
}

const settingsOf = (project: string | undefined): Resource<SettingsView> => ({
  key: `settings ${project ?? ''}`,
  read: () => server.snapshot('GET /api/settings', { query: { project } }),
})

export const useSettings = (project: string | undefined): Live<SettingsView> => useLive(settingsOf(project))

export type Where = 'home' | 'project' | 'project-local'

export const patchSetting = (project: string | undefined, where: Where, key: string, value: unknown) =>
  server.call('PATCH /api/settings', { query: { project }, body: { where, changes: { [key]: value } } })

const root = schema as unknown as SettingSchema
const GENERAL = 'general'

/** Every value that counts, and every key that could have one, by their groups. */
export function settingRows(items: readonly Setting[]): ReadonlyMap<string, readonly SettingRow[]> {
  const set = items.map((setting): SettingRow => ({ key: setting.key, setting, schema: schemaAt(setting.key) }))
  const unset = leaves(root)
    .filter(({ key }) => !items.some((item) => item.key === key || item.key.startsWith(`${key}.`)))
    .map(({ key, schema: own }): SettingRow => ({ key, setting: undefined, schema: own }))
  const rows = [...set, ...unset].filter(({ key }) => key !== '$schema')
  const group = ({ key }: SettingRow): string => (key.includes('.') ? key.split('.')[0]! : GENERAL)
  const rank = (row: SettingRow): string => `${group(row) === GENERAL ? '' : group(row)} ${row.key}`
  return Map.groupBy(
    rows.toSorted((a, b) => rank(a).localeCompare(rank(b))),
    group,
  )
}

/** Keys with a name of their own; what people name themselves (providers, servers) is listed where it is set. */
function leaves(of: SettingSchema, prefix = ''): { readonly key: string; readonly schema: SettingSchema }[] {
  return Object.entries(of.properties ?? {}).flatMap(([name, inside]) => {
    const key = `${prefix}${name}`
    return inside.properties === undefined ? [{ key, schema: inside }] : leaves(inside, `${key}.`)
  })
}

function schemaAt(key: string): SettingSchema | undefined {
  return key.split('.').reduce<SettingSchema | undefined>((at, part) => {
    const named = at?.properties?.[part]
    if (named !== undefined) return named
    return typeof at?.additionalProperties === 'object' ? (at.additionalProperties as SettingSchema) : undefined
  }, root)
}

/** The words that a value can only be, if it can be nothing else. */
export const wordsOf = ({ enum: words }: SettingSchema = {}): readonly string[] | undefined => words?.map(String)

/** What was typed as what the key takes: a number where it can be one, JSON for lists and groups, else the text. Throws a sentence. */
export function typed(text: string, of: SettingSchema | undefined): unknown {
  const kinds = [of, ...(of?.anyOf ?? [])].flatMap((one) => one?.type ?? [])
  const trimmed = text.trim()
  if (
    kinds.some((kind) => kind === 'number' || kind === 'integer') &&
    trimmed !== '' &&
    Number.isFinite(Number(trimmed))
  )
    return Number(trimmed)
  if (kinds.includes('boolean') && /^(true|false)$/.test(trimmed)) return trimmed === 'true'
  const isText = kinds.includes('string') && !/^[[{]/.test(trimmed)
  if (!isText && (kinds.includes('array') || kinds.includes('object'))) return JSON.parse(trimmed)
  return trimmed
}
