import { join } from 'node:path'
import { AgentName } from '../../../contract/agents.ts'
import { AppError } from '../../../contract/errors.ts'
import type { ImportAgents, ImportedAgent } from '../../../contract/imports.ts'
import { suggestion } from '../../../lib/closest.ts'
import type { Project } from '../../base/index.ts'
import { LEADS_OUT, leadsOut } from '../links.ts'
import { type ForeignAgent, foreignAgents } from './foreign.ts'
import type { AgentSources } from './load.ts'
import { readDefinition } from './read.ts'
import { writeAgent } from './write.ts'

/** Makes agents of this project from those that other programs have there. Their files stay as they are. */
export async function importAgents(
  core: AgentSources,
  project: Project,
  wanted: ImportAgents,
): Promise<ImportedAgent[]> {
  const all = foreignAgents(project)
  const { names } = wanted
  const missing = names?.find((name) => !all.some((agent) => agent.name === name))
  if (missing !== undefined)
    throw new AppError('agent.not_found', `There is no agent "${missing}" to import.`, {
      hint: suggestion(
        missing,
        all.map(({ name }) => name),
        'There are',
      ),
    })
  const done: ImportedAgent[] = []
  for (const agent of all.filter(({ name }) => names?.includes(name) ?? true))
    done.push(await importOne(core, project, agent, wanted))
  return done
}

async function importOne(
  core: AgentSources,
  project: Project,
  agent: ForeignAgent,
  { dryRun, overwrite }: ImportAgents,
): Promise<ImportedAgent> {
  const { name, file: from, notes } = agent
  const folder = join(project.path, '.troupe', 'agents')
  const problem = agent.problem ?? nameProblem(name) ?? linkProblem(project, join(folder, name))
  if (problem !== undefined) return { name, from, outcome: 'broken', notes: [problem] }
  const there = readDefinition(folder, name, project.path) !== undefined
  if (there && !overwrite)
    return { name, from, outcome: 'exists', notes: [`.troupe/agents has one of that name; overwrite replaces it`] }
  if (dryRun) return { name, from, outcome: 'new', notes: [...notes] }
  const { definition, prose } = agent
  // The words are those of a file, not of the person: a trusted project is asked about again where they act.
  await writeAgent(core, project, name, { definition, prose: { agent: `${prose}\n` }, where: 'project' })
  return { name, from, outcome: 'written', notes: [...notes] }
}

function nameProblem(name: string): string | undefined {
  const named = AgentName.safeParse(name)
  return named.success ? undefined : `its name ${named.error.issues[0]?.message}`
}

const linkProblem = ({ path }: Project, folder: string): string | undefined =>
  leadsOut(path, folder) ? `${folder} ${LEADS_OUT}` : undefined
