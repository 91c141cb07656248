import type { Agent, AgentFile, Problem } from '../../contract/agents.ts'
import type { SkillInfo } from '../../contract/skills.ts'
import { shorten } from '../../lib/shorten.ts'
import type { Project } from '../base/index.ts'
import { ourTools, type SkillOnDisk, type Sources, skillsOnDisk, toolIn, toolList } from '../config/index.ts'
import { isDenied, isIn } from '../permissions/index.ts'

/** A skill that an agent has. */
export interface Skill extends SkillInfo {
  readonly body: string
}

interface SkillsOf {
  readonly skills: readonly Skill[]
  readonly problems: readonly Problem[]
}

/** For whom skills are looked up. Without an agent: what every agent of the project has. */
interface SkillUser {
  readonly project: Project
  readonly agent?: Agent | undefined
  readonly definition?: AgentFile | undefined
}

/** The skills of an agent as its definition and the files are now; what `skills.allow` leaves out it does not have. */
export function skillsOf(core: Sources, { project, agent, definition }: SkillUser): SkillsOf {
  const { skills, problems } = skillsOnDisk(core, project, agent)
  const { allow, deny = [] } = definition?.skills ?? {}
  return {
    skills: skills
      .filter(({ name }) => (allow === undefined || isIn(allow, name)) && !isDenied(deny, name))
      .map(described),
    problems,
  }
}

export const isAmong = (globs: readonly string[] | undefined, name: string): boolean => isIn(globs ?? [], name)

const made = new WeakMap<SkillOnDisk, Skill>()
const DESCRIPTION = 1000

function described(skill: SkillOnDisk): Skill {
  const known = made.get(skill) ?? describe(skill)
  made.set(skill, known)
  return known
}

function describe({ name, source, folder, fields, body }: SkillOnDisk): Skill {
  const fork = fields.context === 'fork'
  const hint = fields['argument-hint']
  const tools = fields['allowed-tools']
  return {
    name,
    // A skill without a description is known by its first line.
    description: shorten(
      fields.description?.trim() || (body.split('\n', 1)[0] ?? '').replace(/^#+\s*/, ''),
      DESCRIPTION,
    ),
    ...(hint === undefined ? {} : { hint: Array.isArray(hint) ? hint.map((one) => `[${one}]`).join(' ') : `${hint}` }),
    source,
    folder,
    context: fork ? 'fork' : 'main',
    ...(fork && fields.agent !== undefined ? { agent: fields.agent } : {}),
    ...(fork && tools !== undefined ? { tools: [...new Set(toolList(tools).flatMap(oursOrTheirs))] } : {}),
    humanOnly: fields['disable-model-invocation'] ?? false,
    body,
  }
}

/** A name that no other program has is one of ours, or a glob. */
const oursOrTheirs = (entry: string): readonly string[] => ourTools(entry) ?? [toolIn(entry)]
