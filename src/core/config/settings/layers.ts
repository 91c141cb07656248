import { join } from 'node:path'
import type { Problem } from '../../../contract/agents.ts'
import { defaults, environmentKeys, homeOnlyKeys, Settings } from '../../../contract/settings.ts'
import { readSmall, type SmallFile } from '../../../lib/files/files.ts'
import { asObject } from '../../../lib/json.ts'
import { parseJsonc } from '../../../lib/jsonc.ts'
import { type Core, keepValid, type Project } from '../../base/index.ts'
import { guardsInDamaged, guardsLost, type LostGuard } from '../hooks/guards.ts'
import { type Layer, type Leaves, leavesOf, treeOf } from './leaves.ts'
import { idleSettingProblems } from './no-effect.ts'

/** What the settings are read from; app.ts has it before there is a store. */
export type Sources = Pick<Core, 'home' | 'env' | 'flags'>

export interface ReadLayer extends Layer {
  readonly problems: readonly Problem[]
  /** The file could not be read in full. What was read may make things stricter and nothing else. */
  readonly damaged: boolean
  readonly lostGuards: readonly LostGuard[]
}

export const settingsFile = (core: Pick<Core, 'home'>, project: Project, where: FileSource) =>
  where === 'home'
    ? join(core.home, 'settings.json')
    : join(project.path, '.troupe', where === 'project' ? 'settings.json' : 'settings.local.json')

/** Flags, environment, home: what the person said, in this order. */
export const personalLayers = (core: Sources): ReadLayer[] => [
  flagLayer(core.flags),
  environmentLayer(core.env),
  fileLayer('home', readSmall(settingsFile(core, { id: '', path: '' }, 'home'))),
]

export const projectLayers = (core: Sources, project: Project): ReadLayer[] =>
  (['project-local', 'project'] as const).map((where) =>
    fileLayer(where, readSmall(settingsFile(core, project, where), { root: project.path })),
  )

export const defaultLayer: Layer = { source: 'default', leaves: leavesOf(defaults) }

export const isHomeOnly = (key: string): boolean =>
  homeOnlyKeys.some((only) => key === only || key.startsWith(`${only}.`))

type FileSource = 'home' | 'project' | 'project-local'

const nothing = (source: FileSource): ReadLayer => ({
  source,
  leaves: new Map(),
  problems: [],
  damaged: false,
  lostGuards: [],
})
const absent = { home: nothing('home'), project: nothing('project'), 'project-local': nothing('project-local') }
const fileLayers = new WeakMap<SmallFile, ReadLayer>()

function fileLayer(source: FileSource, file: SmallFile | undefined): ReadLayer {
  return file === undefined ? absent[source] : remembered(fileLayers, file, () => readLayer(source, file))
}

function readLayer(source: FileSource, file: SmallFile): ReadLayer {
  const { path } = file
  if (file.problem) return withoutLeaves(source, path, file.problem)
  if (file.cut)
    return withoutLeaves(source, path, 'is too large for a settings file (256 KB at most); it has no effect')
  const parsed = parseJsonc(file.text)
  const checked = keepValid(Settings, parsed.value ?? {}, path)
  const leaves = leavesOf(checked.value ?? {})
  const problems = [...parsed.errors.map((message) => ({ file: path, message })), ...checked.problems]
  if (source !== 'home') problems.push(...dropForeign(leaves, path))
  problems.push(...idleSettingProblems(leaves, path))
  const damaged = parsed.errors.length > 0
  const read = { file: path, text: file.text, problems }
  const hooks = { given: asObject(parsed.value).hooks, kept: checked.value?.hooks }
  const lostGuards = damaged || checked.value === undefined ? guardsInDamaged(read) : guardsLost({ ...read, ...hooks })
  return { source, file: path, leaves, problems, damaged, lostGuards }
}

const withoutLeaves = (source: Layer['source'], file: string, message: string): ReadLayer => ({
  source,
  file,
  leaves: new Map(),
  problems: [{ file, message }],
  damaged: true,
  lostGuards: guardsInDamaged({ file, text: undefined, problems: [{ file, message }] }),
})

/** Drops what no project may set, trusted or not. */
function dropForeign(leaves: Leaves, file: string): Problem[] {
  const problems: Problem[] = []
  for (const [key, value] of leaves) {
    const why = whyNotInProject(key, value)
    if (why === undefined) continue
    leaves.delete(key)
    problems.push({ file, field: key, message: why })
  }
  return problems
}

export function whyNotInProject(key: string, value: unknown): string | undefined {
  if (isHomeOnly(key)) return 'can only be set in <home>/settings.json, by the environment or by a flag'
  if (key === 'permissions.unattended' && value === 'allow')
    return 'can be "allow" only in <home>/settings.json or by a flag'
  return undefined
}

const flagLayers = new WeakMap<object, ReadLayer>()

function flagLayer(flags: Core['flags']): ReadLayer {
  return remembered(flagLayers, flags, () => given('flag', 'command line', new Map(Object.entries(flags))))
}

const environmentLayers = new WeakMap<object, ReadLayer>()

function environmentLayer(env: Core['env']): ReadLayer {
  return remembered(environmentLayers, env, () => {
    const leaves: Leaves = new Map()
    for (const [name, key] of Object.entries(environmentKeys)) {
      const text = env[name]
      if (text) leaves.set(key, key === 'server.port' && /^\d+$/.test(text) ? Number(text) : text)
    }
    const layer = given('environment', 'environment', leaves)
    return { ...layer, problems: layer.problems.map(nameVariable) }
  })
}

function nameVariable(problem: Problem): Problem {
  const variable = Object.entries(environmentKeys).find(([, key]) => key === problem.field)?.[0]
  return variable ? { ...problem, field: variable } : problem
}

function given(source: Layer['source'], place: string, leaves: Leaves): ReadLayer {
  const { value, problems } = keepValid(Settings, treeOf(leaves), place)
  const counted = leavesOf(value ?? {})
  const idle = idleSettingProblems(counted, place)
  return { source, leaves: counted, problems: [...problems, ...idle], damaged: false, lostGuards: [] }
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
