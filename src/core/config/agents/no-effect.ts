import type { AgentFile, ModeOverride, Problem } from '../../../contract/agents.ts'
import { nobodyRuns } from '../runtimes.ts'
import { noEffectYet } from '../settings/no-effect.ts'

/** Fields of a definition that are accepted although nothing reads them yet, each with the reason. */
export const idleFields: Readonly<Record<string, string>> = {
  'workspace.repos': 'only "path" counts',
  icon: 'there is no page that shows it',
  color: 'there is no page that shows it',
}

/** Fields that have no effect inside a mode, because they hold for the whole definition. */
export const idleInModes: Readonly<Record<string, string>> = {
  displayName: 'it has one name in every mode',
  description: 'it has one description in every mode',
  visible: 'it is shown or hidden in every mode alike',
}

type Fields = AgentFile | ModeOverride

/** Fields of which only some values have an effect; for any other value the function says why not. */
export const idleFieldValues: Readonly<
  Record<string, (fields: Fields, kinds: readonly string[]) => string | undefined>
> = {
  runtime: ({ runtime }, kinds) =>
    runtime === undefined || kinds.includes(runtime.kind)
      ? undefined
      : `${nobodyRuns(runtime.kind)}, so this one cannot be used`,
  workspace: ({ workspace }) =>
    workspace === 'run' || workspace === 'worktree'
      ? `it works in the project folder; there is no "${workspace}"`
      : undefined,
}

/** `kinds` are the runtimes that there are. */
export function idleFieldProblems(definition: AgentFile, file: string, kinds: readonly string[]): Problem[] {
  const { modes = {}, ...base } = definition
  const inModes = Object.entries(modes).flatMap(([mode, fields]) =>
    idleIn(fields ?? {}, { ...idleFields, ...idleInModes }, kinds, `modes.${mode}.`),
  )
  return [...idleIn(base, idleFields, kinds, ''), ...inModes].map(({ field, why }) => ({
    file,
    field,
    message: noEffectYet(why),
  }))
}

function idleIn(
  fields: Fields,
  known: Readonly<Record<string, string>>,
  kinds: readonly string[],
  prefix: string,
): { field: string; why: string }[] {
  const said = Object.entries(known).filter(([field]) => valueAt(fields, field) !== undefined)
  const values = Object.entries(idleFieldValues).map(([field, find]) => [field, find(fields, kinds)] as const)
  return [...said, ...values].flatMap(([field, why]) =>
    why === undefined ? [] : [{ field: `${prefix}${field}`, why }],
  )
}

const valueAt = (fields: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, step) => (typeof at === 'object' && at ? (at as Record<string, unknown>)[step] : undefined),
      fields,
    )
