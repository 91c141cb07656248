import { join } from 'node:path'
import { z } from 'zod'
import type { AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { SKILL_CHARS } from '../../contract/skills.ts'
import type { Park, Tool, ToolContext, ToolOutput } from '../../core/base/index.ts'
import { longestWait } from '../../core/config/index.ts'
import { speakerOf } from '../../core/mail/index.ts'
import { defineTool, isDenied, makersOf } from '../../core/permissions/index.ts'
import { findSkill, type Skill, searchSkills, skillBlock } from '../../core/skills/index.ts'
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

/** Loads a skill into the conversation, or has a helper do it. It is about these skills when it is judged and when it runs. */
export const skillTool = (skills: readonly Skill[]): Tool =>
  defineTool({
    name: 'skill',
    description: 'Load a skill: its text counts as your instructions. One that a helper does returns its result.',
    input: Input,
    capabilities: [],
    forEveryone: true,
    parallel: true,
    idempotent: true,
    maxOutputChars: 2 * SKILL_CHARS + 2000,
    subjects: ({ name }) => [{ text: name }],
    implies({ name, file }, own) {
      const found = file === undefined ? findSkill(skills, name) : undefined
      return found?.context === 'fork' ? [{ tool: SPAWN, text: helperOf(found, own ?? '').agent }] : []
    },
    files({ name, file }) {
      const found = file === undefined ? undefined : findSkill(skills, name)
      return found && file ? [{ path: realPath(join(found.folder, file)), access: 'read' }] : []
    },
    async run(input, context) {
      const found = findSkill(skills, input.name) ?? notFound(skills, input.name, context)
      const started = !found.humanOnly || (await startedByPerson(context.core, context.sessionId, found.name))
      if (!started) throw forPeople(found)
      if (input.file !== undefined) return { output: fileBeside(found, input.file) }
      const { session } = await speakerOf(context)
      const about = { sessionId: session.id, taskId: session.task_id, agent: context.agent }
      const text = skillBlock(found, input.arguments?.trim() ?? '', about)
      return found.context === 'main' ? { output: text } : fork(found, text, context)
    },
  })

/** The helper sees the skill and nothing of the conversation; the call waits for its last words. */
async function fork(skill: Skill, text: string, context: ToolContext): Promise<Park | ToolOutput> {
  const { core, project, agent: own } = context
  const { name, tools } = skill
  const { agent, model } = helperOf(skill, own.name)
  const by = await speakerOf(context)
  const hint = 'Do the work yourself, or tell the person.'
  if (agent !== own.name && !by.mayReach(agent))
    throw new AppError('address.not_allowed', `The skill ${name} is done by ${agent}, whom you may not reach.`, {
      hint,
    })
  if ([context.definition, ...makersOf(by.session)].some(hasNoHelpers))
    throw new AppError('permission.denied', `The skill ${name} is done by a helper, and you may have none.`, { hint })
  const { task } = await spawn(core, context, {
    agent,
    instruction: `Do what this skill says; your last message is the result.\n${text}`,
    returnMode: 'lastMessage',
    wait: true,
    topLevel: false,
    tools,
    model,
  })
  return parkForSpawned(task.id, core.clock.now() + (await longestWait(core, project)))
}

/** A model has its provider in front: "provider/model". Then it is the same agent. */
function helperOf({ agent }: Pick<Skill, 'agent'>, own: string): { agent: string; model: string | undefined } {
  return agent?.includes('/') ? { agent: own, model: agent } : { agent: agent ?? own, model: undefined }
}

const SPAWN = 'agent_spawn'

/** A skill is for everyone; whoever is denied helpers by name gets none in this way either. */
const hasNoHelpers = ({ tools, capabilities }: Pick<AgentFile, 'tools' | 'capabilities'>): boolean =>
  isDenied(tools?.deny ?? [], SPAWN) || isDenied(capabilities?.deny ?? [], 'agents')

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

const forPeople = ({ name }: Skill): AppError =>
  new AppError('skill.human_only', `The skill ${name} can be started by a person only.`, {
    hint: `Ask the person to write /${name}, or do the work without it.`,
  })
