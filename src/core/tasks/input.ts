import { AppError } from '../../contract/errors.ts'
import type { TaskInput } from '../../contract/tasks.ts'

/** What the agent reads: the prompt, then the files and the context that belong to it. */
export function instructionOf({ prompt, files = [], context }: TaskInput): string {
  return [
    prompt,
    ...(files.length > 0 ? [`Files:\n${files.map((file) => `- ${file}`).join('\n')}`] : []),
    ...(context === undefined ? [] : [`Context:\n${context}`]),
  ].join('\n\n')
}

export function checkInput({ skill }: TaskInput): void {
  if (skill === undefined) return
  throw new AppError('request.invalid', `input.skill: there is no skill "${skill}".`, {
    hint: 'Leave "skill" out and write into "prompt" how it is to be done.',
  })
}
