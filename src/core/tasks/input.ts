import { AppError } from '../../contract/errors.ts'
import type { Mode } from '../../contract/sessions.ts'
import type { TaskInput } from '../../contract/tasks.ts'
import { suggestion } from '../../lib/closest.ts'
import type { Core, Project } from '../base/index.ts'
import { skillsOfReceiver } from '../mail/index.ts'
import { checkInvocation, findSkill, invocationIn } from '../skills/index.ts'

/** What the agent reads: the prompt, behind the skill by which it is done, then the files and the context that belong to it. */
export function instructionOf({ prompt, files = [], context, skill }: TaskInput): string {
  return [
    skill === undefined ? prompt : `/${skill} ${prompt}`,
    ...(files.length > 0 ? [`Files:\n${files.map((file) => `- ${file}`).join('\n')}`] : []),
    ...(context === undefined ? [] : [`Context:\n${context}`]),
  ].join('\n\n')
}

/** Who is to do it. */
interface Receiver {
  readonly project: Project
  readonly agent: string
  readonly mode: Mode
}

/** A skill that is named must be there. What an agent gives may not begin with one that it could not start. */
export async function checkInput(
  core: Core,
  { project, agent, mode }: Receiver,
  input: TaskInput,
  by: 'person' | 'agent',
): Promise<void> {
  const instruction = instructionOf(input)
  if (invocationIn(instruction) === undefined) return mustBeName(input)
  const skills = await skillsOfReceiver(core, project, { agent, mode })
  if (skills === undefined) return
  if (input.skill === undefined || findSkill(skills, input.skill)) {
    if (by === 'agent') checkInvocation(skills, instruction, agent)
    return
  }
  const names = skills.map(({ name }) => name)
  throw new AppError('skill.not_found', `input.skill: ${agent} has no skill "${input.skill}".`, {
    hint: names.length === 0 ? `It has none. Leave "skill" out.` : suggestion(input.skill, names, 'It has'),
  })
}

function mustBeName({ skill }: TaskInput): void {
  if (skill === undefined) return
  throw new AppError('request.invalid', `input.skill: "${skill}" is no name of a skill.`, {
    hint: 'Leave "skill" out, or give the name alone, without a slash.',
  })
}
