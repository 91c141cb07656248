import { rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, AgentFile, AgentName } from '../../../contract/agents.ts'
import { AppError } from '../../../contract/errors.ts'
import { listFolder, readSmall, writeAtomic } from '../../../lib/files/files.ts'
import { editJsonc, parseJsonc } from '../../../lib/jsonc.ts'
import { writeYaml } from '../../../lib/yaml.ts'
import { inWords, type Project, problemsOf } from '../../base/index.ts'
import { refuseLinkOut } from '../links.ts'
import { isTrusted, keepTrust } from '../trust/trust.ts'
import { type AgentSources, type DefinitionPlace, lookUp, places } from './load.ts'
import { type Definition, readDefinition } from './read.ts'

interface AgentBody {
  readonly definition: Readonly<Record<string, unknown>>
  readonly prose?:
    | { readonly agent?: string | undefined; readonly soul?: string | undefined; readonly goal?: string | undefined }
    | undefined
  readonly where?: 'project' | 'global' | undefined
}

const proseFiles = { agent: 'AGENT.md', soul: 'SOUL.md', goal: 'GOAL.md' } as const

/** A person writes a definition: a project that they trust stays trusted with it. */
export async function putAgent(core: AgentSources, project: Project, name: string, body: AgentBody): Promise<Agent> {
  const trusted = isTrusted(core, project)
  const { inProject, written } = await writeAgent(core, project, name, body)
  if (trusted && inProject) keepTrust(core, project, written)
  const now = lookUp(core, project, name)
  if (now === undefined) throw new AppError('internal', `The agent "${name}" was written but cannot be found again.`)
  return now.agent
}

/**
 * Makes or replaces a definition; prose that is not given stays. Without `where`, a definition stays in its place and a
 * new one goes into the project.
 */
export async function writeAgent(
  core: AgentSources,
  project: Project,
  name: string,
  body: AgentBody,
): Promise<{ inProject: boolean; written: Written }> {
  const definition = check(name, body.definition)
  const found = lookUp(core, project, name)
  const where = body.where ?? (found?.place.source === 'global' ? 'global' : 'project')
  const place = placeOf(core, project, where)
  refuseLinkOut(place.root, join(place.folder, name))
  const current = readDefinition(place.folder, name, place.root)
  const written =
    current?.form === 'file'
      ? writeFile(current, definition, body.prose ?? {})
      : writeFolder(join(place.folder, name), place, definition, body.prose ?? {})
  return { inProject: place.source === 'project', written }
}

/** Removes the definition that counts. Skills, tools and whatever else a person keeps in its folder stay. */
export async function deleteAgent(core: AgentSources, project: Project, name: string): Promise<void> {
  const found = lookUp(core, project, name)
  if (found === undefined) throw new AppError('agent.not_found', `There is no agent "${name}" in this project.`)
  const { place } = found
  if (place.source === 'built-in')
    throw new AppError('agent.read_only', `"${name}" is built in and cannot be deleted.`, {
      hint: `To change it, make an agent of the same name in the project; it then counts instead.`,
    })
  const trusted = isTrusted(core, project)
  const folder = join(place.folder, name)
  refuseLinkOut(place.root, folder)
  const isFile = readDefinition(place.folder, name, place.root)?.form === 'file'
  if (isFile) rmSync(`${folder}.md`)
  else {
    for (const file of ['agent.json', ...Object.values(proseFiles)]) rmSync(join(folder, file), { force: true })
    if (listFolder(folder).length === 0) rmdirSync(folder)
  }
  if (trusted && place.source === 'project')
    keepTrust(core, project, { path: isFile ? `${folder}.md` : join(folder, 'agent.json') })
}

function check(name: string, given: Readonly<Record<string, unknown>>): AgentFile {
  const named = AgentName.safeParse(name)
  if (!named.success) throw new AppError('request.invalid', `The name "${name}" ${named.error.issues[0]?.message}.`)
  const checked = AgentFile.safeParse(given)
  if (!checked.success) {
    const problems = problemsOf('agent.json', checked.error.issues)
    throw new AppError('request.invalid', `Not written: ${inWords(problems)}.`, { details: problems })
  }
  if (checked.data.name !== undefined && checked.data.name !== name)
    throw new AppError(
      'request.invalid',
      `The definition's name is "${checked.data.name}", but it is to be written as "${name}".`,
      {
        hint: 'Leave the field out, or make them the same.',
      },
    )
  return checked.data
}

function placeOf(core: AgentSources, project: Project, where: 'project' | 'global'): DefinitionPlace {
  const place = places(core, project).find(({ source }) => source === where)
  if (place === undefined) throw new AppError('internal', `There is no place for agents called "${where}".`)
  return place
}

function writeFolder(
  folder: string,
  place: DefinitionPlace,
  definition: AgentFile,
  prose: NonNullable<AgentBody['prose']>,
): Written {
  const path = join(folder, 'agent.json')
  const current = readSmall(path, place.root === undefined ? {} : { root: place.root })
  for (const [part, name] of Object.entries(proseFiles)) {
    const text = prose[part as keyof typeof proseFiles]
    if (text === '') rmSync(join(folder, name), { force: true })
    else if (text !== undefined) writeAtomic(join(folder, name), text)
  }
  // agent.json is written last: an agent appears, or changes its fields, only when its prose is there.
  const text = current && !current.problem ? edited(current.text, definition) : fresh(definition)
  writeAtomic(path, text)
  return { path, text }
}

interface Written {
  readonly path: string
  readonly text: string
}

const fresh = (definition: AgentFile): string => `${JSON.stringify(definition, null, 2)}\n`

/** Only fields that differ are touched, so the comments of the others stay. */
function edited(text: string, definition: AgentFile): string {
  const { value, errors } = parseJsonc(text)
  if (errors.length > 0 || typeof value !== 'object' || value === null) return fresh(definition)
  const old = value as Record<string, unknown>
  const wanted = definition as Record<string, unknown>
  const fields = [...new Set([...Object.keys(old), ...Object.keys(wanted)])]
  return editJsonc(
    text,
    fields
      .filter((field) => JSON.stringify(old[field]) !== JSON.stringify(wanted[field]))
      .map((field) => ({ path: [field], value: wanted[field] })),
  )
}

function writeFile(current: Definition, definition: AgentFile, prose: NonNullable<AgentBody['prose']>): Written {
  if (prose.soul || prose.goal)
    throw new AppError('request.invalid', `${current.file} is a single-file agent, which has no SOUL.md or GOAL.md.`, {
      hint: `Make it a folder "${current.name}" with agent.json and AGENT.md, or put the text into its body.`,
    })
  const body = prose.agent ?? current.prose.agent
  const text = `---\n${writeYaml(definition)}---\n${body}`
  writeAtomic(current.file, text)
  return { path: current.file, text }
}
