import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { SKILL_CHARS } from '../../contract/skills.ts'
import type { Park, ToolContext, ToolOutput } from '../../core/base/index.ts'
import { longestWait } from '../../core/config/index.ts'
import { speakerOf } from '../../core/mail/index.ts'
import { defineTool, isDenied } from '../../core/permissions/index.ts'
import { findSkill, type Skill, searchSkills, skillBlock, skillsOf } from '../../core/skills/index.ts'
import { spawn } from '../../core/tasks/index.ts'
import { startedByPerson } from '../../core/turns/index.ts'
import { parkForSpawned } from '../../core/waits/index.ts'
import { readSmall, realPath } from '../../lib/files/files.ts'
import { cutTo, printable } from '../../lib/text.ts'

const Input = z.strictObject({
  name: z.string().min(1).max(200).describe('Of a skill, or words about what you need'),
  arguments: z.string().max(SKILL_CHARS).optional().describe('What it is to be used on'),
  file: z.string().min(1).max(500).optional().describe('Instead: show this file beside its SKILL.md'),
})

/** Loads a skill into the conversation, or has a helper do it. Whoever does one of the forks is spawned: its rules hold. */
export const skillTool = (forks: ReadonlyMap<string, string>) =>
  defineTool({
    name: 'skill',
    description: 'Load a skill: its text counts as your instructions. One that a helper does returns its result.',
    input: Input,
    capabilities: [],
    forEveryone: true,
    parallel: true,
    idempotent: true,
    maxOutputChars: 2 * SKILL_CHARS + 2000,
    subjects: ({ name, file }) => {
      const helper = file === undefined ? forks.get(name) : undefined
      return [{ text: name }, ...(helper === undefined ? [] : [{ text: helper, as: 'agent_spawn' }])]
    },
    async run(input, context) {
      const { skills } = skillsOf(context.core, context)
      const found = findSkill(skills, input.name) ?? notFound(skills, input.name, context)
      if (found.humanOnly && !(await startedByPerson(context.core, context.sessionId, found.name)))
        throw forPeople(found)
      if (input.file !== undefined) return { output: fileBeside(found, input.file) }
      const { session } = await speakerOf(context)
      const about = { sessionId: session.id, taskId: session.task_id, agent: context.agent }
      const text = skillBlock(found, input.arguments?.trim() ?? '', about)
      if (found.context === 'main') return { output: text }
      const helper = helperOf(found, context.agent.name)
      if (forks.get(found.name) !== helper) throw changed(found)
      return fork(found, helper, text, context)
    },
  })

/** The agent that does a fork: the same one, with another model where a model is named. */
export const helperOf = ({ agent }: Pick<Skill, 'agent'>, own: string): string =>
  agent === undefined || agent.includes('/') ? own : agent

/** The helper sees the skill and nothing of the conversation; the call waits for its last words. */
async function fork(
  { name, agent: given, tools }: Skill,
  agent: string,
  text: string,
  context: ToolContext,
): Promise<Park | ToolOutput> {
  const { core, project, agent: own } = context
  if (isDenied(context.definition.tools?.deny ?? [], 'agent_spawn'))
    throw new AppError('permission.denied', `The skill ${name} is done by a helper, and you may spawn none.`, {
      hint: 'Do the work yourself, or tell the person.',
    })
  if (agent !== own.name && !(await speakerOf(context)).mayReach(agent))
    throw new AppError('address.not_allowed', `The skill ${name} is done by ${agent}, whom you may not reach.`, {
      hint: 'Do the work yourself, or tell the person.',
    })
  const { task } = await spawn(core, context, {
    agent,
    instruction: `Do what this skill says; your last message is the result.\n${text}`,
    returnMode: 'lastMessage',
    wait: true,
    topLevel: false,
    tools,
    // A model has its provider in front: "provider/model".
    model: given?.includes('/') ? given : undefined,
  })
  return parkForSpawned(task.id, core.clock.now() + (await longestWait(core, project)))
}

/** Files beside a skill are read here, because some lie where read_file may not look. */
function fileBeside({ name, folder }: Skill, path: string): string {
  const root = realPath(folder)
  const inside = join(root, path).startsWith(`${root}/`)
  const file = inside ? readSmall(join(root, path), { root, limit: SKILL_CHARS * 4 }) : undefined
  if (file === undefined || file.problem !== undefined)
    throw new AppError('path.not_found', `The skill ${name} has no file "${path}" that can be read.`, {
      hint: 'Give the path as the skill names it, relative to its folder.',
    })
  return cutTo(printable(file.text), SKILL_CHARS, (missing) => `${missing} more characters are not shown`)
}

function notFound(skills: readonly Skill[], query: string, { definition }: ToolContext): never {
  const open = definition.skills?.discovery === false ? [] : skills.filter(({ humanOnly }) => !humanOnly)
  const fit = searchSkills(open, query)
  const lines = fit.map(({ name, description }) => `- ${name}: ${description.slice(0, 200)}`)
  throw new AppError('skill.not_found', `There is no skill "${query}".`, {
    hint: lines.length > 0 ? `These fit the words:\n${lines.join('\n')}` : 'None fits the words; go on without.',
  })
}

/** The rules were asked about what it was. */
const changed = ({ name }: Skill): AppError =>
  new AppError('skill.not_found', `The skill ${name} has just been changed.`, {
    hint: 'It can be used as it is now in your next turn.',
  })

const forPeople = ({ name }: Skill): AppError =>
  new AppError('skill.human_only', `The skill ${name} can be started by a person only.`, {
    hint: `Ask the person to write /${name}, or do the work without it.`,
  })
