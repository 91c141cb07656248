import type { ToolSource, ToolsFound } from '../../core/base/index.ts'
import { type Skill, skillsOf } from '../../core/skills/index.ts'
import { helperOf, skillTool } from './skill.ts'

/** The tool `skill` is there only for an agent that could use a skill. */
export const createSkillTool = (): ToolSource => ({
  toolsFor: (core, whom) => {
    const { skills } = skillsOf(core, whom)
    const some = skills.some(({ humanOnly, context }) => !humanOnly || context === 'fork')
    return some ? foundFor(skills, whom.agent?.name ?? '') : none
  },
})

const none: ToolsFound = { tools: [], problems: [] }
const KEPT = 500
const kept = new Map<string, ToolsFound>()

/** The same object for the same forks: whoever keeps lists of tools goes by it. */
function foundFor(skills: readonly Skill[], own: string): ToolsFound {
  const forks = skills.filter(({ context }) => context === 'fork').map((one) => [one.name, helperOf(one, own)] as const)
  const key = JSON.stringify(forks)
  const found = kept.get(key) ?? { tools: [skillTool(new Map(forks))], problems: [] }
  kept.delete(key)
  kept.set(key, found)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? key)
  return found
}
