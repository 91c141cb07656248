import { join } from 'node:path'
import type { Agent, Problem } from '../../../contract/agents.ts'
import { ToolFile, ToolName } from '../../../contract/tools.ts'
import { listFolder, MAX_ENTRIES, readSmall, type SmallFile, statOf } from '../../../lib/files/files.ts'
import { digestTree } from '../../../lib/files/trees.ts'
import { readJsonc } from '../../../lib/jsonc.ts'
import { isOpenToCommand } from '../../../lib/sandbox/watch.ts'
import { badKeyProblems, type Project, problemsOf } from '../../base/index.ts'
import { ownFolderOf } from '../agents/load.ts'
import type { Sources } from '../settings/layers.ts'
import { isTrusted } from '../trust/trust.ts'

/** A custom tool as it lies on disk. Nothing of it has run. */
export interface CustomTool {
  readonly name: string
  readonly source: 'agent' | 'project' | 'global'
  readonly folder: string
  /** The file with its function. */
  readonly entry: string
  readonly definition: ToolFile
  /** Changes whenever any of its files does. */
  readonly digest: string
  /** It is the project's: it is run only as it was trusted. */
  readonly needsTrust: boolean
}

interface CustomTools {
  readonly tools: readonly CustomTool[]
  readonly problems: readonly Problem[]
}

const TOOLS = 100
const entries = ['index.js', 'index.ts', 'index.mjs', 'index.cjs', 'index.mts']

/** The custom tools of an agent, a project and the person, in this order. What needs trust and has none is only named. */
export function customTools(core: Sources, project: Project, agent: Agent | undefined): CustomTools {
  const there = placesOf(core, project, agent).filter(({ folder }) => listFolder(folder).length > 0)
  if (there.length === 0) return nothing
  const trusted = !there.some(({ root }) => root !== undefined) || isTrusted(core, project)
  const found = there.map((place) => (place.root === undefined || trusted ? readPlace(place) : namedOnly(place)))
  return { tools: found.flatMap(({ tools }) => tools), problems: found.flatMap(({ problems }) => problems) }
}

/** Whether a tool may be run now, exactly as it was read. */
export const isAsRead = (core: Sources, project: Project, { folder, digest, needsTrust }: CustomTool): boolean =>
  digestTree(folder)?.digest === digest && (!needsTrust || isTrusted(core, project))

interface Place {
  readonly source: CustomTool['source']
  readonly folder: string
  /** The files must really lie under this folder, and need trust. */
  readonly root?: string
}

function placesOf(core: Sources, project: Project, agent: Agent | undefined): Place[] {
  const root = { root: project.path }
  const own = agent && ownFolderOf(core, project, agent)
  return [
    ...(own ? [{ ...own, source: 'agent' as const, folder: join(own.folder, 'tools') }] : []),
    { source: 'project', folder: join(project.path, '.troupe', 'tools'), ...root },
    { source: 'global', folder: join(core.home, 'tools') },
  ]
}

const nothing: CustomTools = { tools: [], problems: [] }

function namedOnly({ folder }: Place): CustomTools {
  const problems = namesIn(folder).map((name) => ({
    file: join(folder, name),
    message: 'is not trusted, so it is neither loaded nor run; look at it, then: troupe trust',
    needs: 'trust' as const,
  }))
  return { tools: [], problems }
}

const kept = new Map<string, CustomTools>()
const KEPT = 200

/** While a command could have changed the folder, it counts as it was: what the command left there is not approved yet. */
function readPlace(place: Place): CustomTools {
  const known = isOpenToCommand(place.folder) ? kept.get(place.folder) : undefined
  if (known) return known
  const names = namesIn(place.folder)
  const read = names.slice(0, TOOLS).map((name) => readTool(place, name))
  const tooMany = { file: place.folder, message: `has more than ${TOOLS} tools; the rest is not read` }
  const found = {
    tools: read.flatMap((one) => ('tool' in one ? [one.tool] : [])),
    problems: [
      ...read.flatMap((one) => ('problems' in one ? one.problems : [])),
      ...(names.length > TOOLS ? [tooMany] : []),
    ],
  }
  kept.delete(place.folder)
  kept.set(place.folder, found)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '')
  return found
}

const namesIn = (folder: string): string[] =>
  listFolder(folder)
    .slice(0, MAX_ENTRIES)
    .flatMap(({ name, folder: isFolder }) => (isFolder && !/^[._]|^node_modules$/.test(name) ? [name] : []))

type Read = { readonly tool: CustomTool } | { readonly problems: readonly Problem[] }

function readTool({ source, folder: place, root }: Place, name: string): Read {
  const folder = join(place, name)
  const file = join(folder, 'tool.json')
  const read = readSmall(file, root === undefined ? {} : { root })
  const wrong = (message: string, field?: string): Read => ({ problems: [{ file, message, ...(field && { field }) }] })
  if (read === undefined) return wrong('is missing; it says what the tool is called and takes')
  if (read.problem) return wrong(read.problem)
  const checked = check(read)
  if ('problems' in checked) return checked
  if (!ToolName.safeParse(name).success) return wrong(`is in a folder whose name is no name for a tool: ${name}`)
  const { definition } = checked
  if (definition.name !== undefined && definition.name !== name)
    return wrong(`is "${definition.name}", but the folder is called "${name}"; make them the same`, 'name')
  const entry = entries.map((each) => join(folder, each)).find((each) => statOf(each)?.isFile())
  if (entry === undefined) return wrong('has no index.js or index.ts beside it')
  const digest = digestTree(folder)?.digest ?? ''
  return { tool: { name, source, folder, entry, definition, digest, needsTrust: root !== undefined } }
}

const checkedFiles = new WeakMap<SmallFile, { definition: ToolFile } | { problems: readonly Problem[] }>()

function check(read: SmallFile): { definition: ToolFile } | { problems: readonly Problem[] } {
  const known = checkedFiles.get(read)
  if (known) return known
  const { value, errors } = readJsonc(read)
  const parsed = ToolFile.safeParse(value ?? {})
  const problems = [
    ...errors.map((message) => ({ file: read.path, message })),
    ...(parsed.success ? badKeyProblems(read.path, value) : problemsOf(read.path, parsed.error.issues)),
  ]
  const made = parsed.success && problems.length === 0 ? { definition: parsed.data } : { problems }
  checkedFiles.set(read, made)
  return made
}
