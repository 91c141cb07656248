import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Agent, AgentFile, AgentName, type AgentSource, type Problem } from '../../../contract/agents.ts'
import { sha256, statOf } from '../../../lib/files/files.ts'
import { isOpenToCommand } from '../../../lib/sandbox/watch.ts'
import { badKeyProblems, type Core, type Project, problemsOf } from '../../base/index.ts'
import { kindsOf } from '../runtimes.ts'
import { defaultLayer, personalLayers, type Sources } from '../settings/layers.ts'
import { merge } from '../settings/leaves.ts'
import { isTrusted } from '../trust/trust.ts'
import { withoutActing } from './acting.ts'
import { boundBy } from './namesake.ts'
import { idleFieldProblems } from './no-effect.ts'
import { type Definition, readDefinition } from './read.ts'

/** What agents are read with; a field may name a runtime that is not there. */
export type AgentSources = Sources & Pick<Core, 'runtimes'>

interface DraftBody {
  readonly definition: unknown
  readonly prose?: { readonly [Part in keyof Agent['prose']]?: string | undefined } | undefined
}

/** A folder of definitions. */
export interface DefinitionPlace {
  readonly source: AgentSource
  readonly folder: string
  /** The files must really lie under this folder. The person's own and the built-in agents need none. */
  readonly root?: string
}

/** In this order: the first place that has the name wins. */
export const places = (core: Sources, project: Project): DefinitionPlace[] => [
  { source: 'project', folder: join(project.path, '.troupe', 'agents'), root: project.path },
  { source: 'global', folder: join(core.home, 'agents') },
  { source: 'built-in', folder: builtIn },
]

/** The folder of an agent that has one of its own, with the root under which its files must lie; a single file has none. */
export function ownFolderOf(
  core: Sources,
  project: Project,
  { name, source, folder }: Agent,
): Pick<DefinitionPlace, 'folder' | 'root'> | undefined {
  const place = places(core, project).find((each) => each.source === source)
  if (place === undefined || folder !== join(place.folder, name)) return undefined
  return place.root === undefined ? { folder } : { folder, root: place.root }
}

/** The first agent of that name. When it is broken, no later one of the same name silently takes its place. */
export function lookUp(
  core: AgentSources,
  project: Project,
  name: string,
): { place: DefinitionPlace; agent: Agent } | undefined {
  if (!/^[^./\\\0][^/\\\0]{0,99}$/.test(name)) return undefined
  for (const place of places(core, project)) {
    const agent = loadAgent(core, project, place, name)
    if (agent) return { place, agent }
  }
  return undefined
}

export function loadAgent(
  core: AgentSources,
  project: Project,
  place: DefinitionPlace,
  name: string,
  trusted?: boolean,
): Agent | undefined {
  const known = isOpenToCommand(place.folder) ? kept.get(keyOf(place, name)) : undefined
  if (known) return known.agent
  const definition = readDefinition(place.folder, name, place.root)
  if (definition === undefined) return undefined
  const restricted = place.source === 'project' && !(trusted ?? isTrusted(core, project))
  return agentOf(
    core,
    project,
    place,
    definition,
    restricted ? { namesake: namesakeOf(core, project, name) } : undefined,
  )
}

/** An agent as it would be if its files said this; nothing is written. */
export function draftAgent(core: AgentSources, project: Project, name: string, body: DraftBody): Agent {
  const found = lookUp(core, project, name)
  const place = found?.place ?? places(core, project)[0]!
  const { agent = '', soul = '', goal = '' } = { ...found?.agent.prose, ...body.prose }
  const draft: Definition = {
    name,
    form: 'folder',
    folder: found?.agent.folder ?? join(place.folder, name),
    file: 'agent.json',
    files: [],
    fields: body.definition,
    prose: { agent, soul, goal },
    problems: [],
  }
  const restricted = place.source === 'project' && !isTrusted(core, project)
  return makeAgent(core, project, place, draft, restricted ? { namesake: namesakeOf(core, project, name) } : undefined)
}

/** The person's own agent of that name, else the built-in one: what the name stood for before the project came. */
const namesakeOf = (core: AgentSources, project: Project, name: string): Agent | undefined =>
  places(core, project)
    .filter(({ source }) => source !== 'project')
    .values()
    .map((place) => loadAgent(core, project, place, name))
    .find((agent) => agent !== undefined)

/** The project is not trusted: its agent may do no more than the one of that name before it. */
interface Restricted {
  readonly namesake: Agent | undefined
}

const BOUND = 'has the limits of the agent that had its name before, until you trust this project'
const KEPT = 1000
const kept = new Map<string, { inputs: readonly unknown[]; agent: Agent }>()

const keyOf = ({ folder }: DefinitionPlace, name: string): string => `${folder}\0${name}`

function agentOf(
  core: AgentSources,
  project: Project,
  place: DefinitionPlace,
  definition: Definition,
  restricted: Restricted | undefined,
): Agent {
  const under = restricted ? [restricted.namesake, ...personalLayers(core)] : []
  const inputs = [restricted !== undefined, kindsOf(core).join(), ...definition.files, ...under]
  const key = keyOf(place, definition.name)
  const known = kept.get(key)
  if (known?.inputs.length === inputs.length && inputs.every((input, at) => input === known.inputs[at]))
    return known.agent

  const agent = makeAgent(core, project, place, definition, restricted)
  kept.delete(key)
  kept.set(key, { inputs, agent })
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? key)
  return agent
}

function makeAgent(
  core: AgentSources,
  project: Project,
  place: DefinitionPlace,
  found: Definition,
  restricted: Restricted | undefined,
): Agent {
  const { name, file, folder, prose } = found
  const checked = AgentFile.safeParse(found.fields)
  const problems: Problem[] = [
    ...found.problems,
    ...(checked.success ? badKeyProblems(file, found.fields) : problemsOf(file, checked.error.issues)),
    ...nameProblems(found, checked.data),
    ...(restricted?.namesake?.broken ? restricted.namesake.problems : []),
  ]
  const broken = problems.length > 0
  let definition = checked.data ?? {}
  if (restricted && !broken) {
    const personal = merge([...personalLayers(core), defaultLayer])
    const harmless = withoutActing(definition, project.path, personal)
    const { namesake } = restricted
    definition = namesake ? boundBy(namesake.definition, harmless.definition) : harmless.definition
    if (!isDeepStrictEqual(definition, harmless.definition)) problems.push({ file, message: BOUND, needs: 'trust' })
    for (const field of harmless.removed)
      problems.push({ file, field, message: 'has no effect until you trust this project', needs: 'trust' })
  }
  if (!broken) problems.push(...idleFieldProblems(definition, file, kindsOf(core)))
  const files = found.files.map((each) => `${each.path}\0${each.hash}`)
  return {
    name,
    displayName: definition.displayName ?? titled(name),
    description: definition.description ?? '',
    source: place.source,
    folder,
    definition,
    prose,
    hash: sha256([...files, JSON.stringify(definition)].join('\n')),
    problems,
    broken,
  }
}

function nameProblems(found: Definition, definition: AgentFile | undefined): Problem[] {
  const named = AgentName.safeParse(found.name)
  if (!named.success)
    return problemsOf(found.file, named.error.issues.slice(0, 1)).map((it) => ({ ...it, field: 'name' }))
  if (definition?.name === undefined || definition.name === found.name) return []
  const where = found.form === 'folder' ? 'folder' : 'file'
  return [
    {
      file: found.file,
      field: 'name',
      message: `is "${definition.name}", but the ${where} is called "${found.name}"; make them the same`,
    },
  ]
}

const titled = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_, dash, letter) => (dash ? ' ' : '') + letter.toUpperCase())

/** The built-in agents lie beside package.json, both in the sources and in a compiled package. */
const builtIn = join(packageFolder(import.meta.dirname), 'agents')

function packageFolder(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (statOf(join(folder, 'package.json'))) return folder
  }
  return from
}
