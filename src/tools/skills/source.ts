import type { ToolSource, ToolsFound } from '../../core/base/index.ts'
import { type Skill, skillsOf } from '../../core/skills/index.ts'
import { skillTool } from './skill.ts'

/** The tool `skill` is there only for an agent that could use a skill. */
export const createSkillTool = (): ToolSource => ({
  toolsFor(core, whom) {
    const { skills } = skillsOf(core, whom)
    return skills.some(({ humanOnly, context }) => !humanOnly || context === 'fork') ? foundWith(skills) : none
  },
})

const none: ToolsFound = { tools: [], problems: [] }

/** The same skills are the same objects, and with them it is the same tool. */
const made = new WeakMap<Skill, { readonly skills: readonly Skill[]; readonly found: ToolsFound }>()

function foundWith(skills: readonly Skill[]): ToolsFound {
  const known = made.get(skills[0]!)
  if (known?.skills.length === skills.length && skills.every((skill, at) => skill === known.skills[at]))
    return known.found
  const found = { tools: [skillTool(skills)], problems: [] }
  made.set(skills[0]!, { skills, found })
  return found
}
