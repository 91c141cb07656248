import { AppError } from '../../contract/errors.ts'
import type { ActionOf } from '../../contract/triggers.ts'
import type { Core, Project } from '../base/index.ts'
import { skillsOfReceiver } from '../mail/index.ts'
import { findSkill } from '../skills/index.ts'
import type { Action } from './action.ts'
import { taskAction } from './task.ts'

type RunSkill = ActionOf<'run_skill'>

/** Gives a skill to an agent as a task. */
export const skillAction: Action<RunSkill> = {
  async check(core, by, action) {
    await taskAction.check(core, by, asTask(action))
    await mustBeThere(core, by.project, action)
  },
  async prepare(core, firing, action) {
    await mustBeThere(core, firing.project, action)
    return taskAction.prepare(core, firing, asTask(action))
  },
}

const asTask = ({
  skill,
  arguments: words = '',
  agent,
  priority,
  tags,
  limits,
}: RunSkill): ActionOf<'create_task'> => ({
  type: 'create_task',
  agent,
  input: { prompt: `/${skill} ${words}`.trim() },
  priority,
  tags,
  limits,
})

/** As text alone it would be no work that anybody asked for. */
async function mustBeThere(core: Core, project: Project, { agent, skill }: RunSkill): Promise<void> {
  const skills = await skillsOfReceiver(core, project, { agent, mode: 'task' })
  if (skills === undefined || findSkill(skills, skill)) return
  throw new AppError('skill.not_found', `action.skill: ${agent} has no skill "${skill}".`, {
    hint: `Its skills: ${skills.map(({ name }) => name).join(', ') || 'none'}.`,
  })
}
