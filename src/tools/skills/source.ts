import type { ToolSource, ToolsFound } from '../../core/base/index.ts'
import { skillsOf } from '../../core/skills/index.ts'
import { skill } from './skill.ts'

/** The tool `skill` is there only for an agent that could use a skill. */
export const createSkillTool = (): ToolSource => ({
  toolsFor: (core, whom) =>
    skillsOf(core, whom).skills.some(({ humanOnly, context }) => !humanOnly || context === 'fork') ? found : none,
})

const found: ToolsFound = { tools: [skill], problems: [] }
const none: ToolsFound = { tools: [], problems: [] }
