import { z } from 'zod'
import { Receipt } from './mail.ts'
import { Task } from './tasks.ts'

/** What can stand behind the slash of `/name`. */
export const SkillName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/, 'must be letters, digits and - _ . : (64 at most), beginning with a letter')

/** The text of a skill, and of a file beside it. */
export const SKILL_CHARS = 64 * 1024

const textOrList = z.union([z.string(), z.array(z.unknown())], 'must be a text or a list')

/** The front matter of SKILL.md. Fields of other programs stand beside these and are left alone. */
export const SkillFile = z.looseObject({
  name: SkillName.optional().describe("The folder's name; may be left out."),
  description: z.string().max(4000).optional().describe('What it is for and when to use it: all that is listed.'),
  'argument-hint': textOrList.optional().describe('What may follow its name, for people.'),
  'allowed-tools': textOrList.optional().describe('Of a fork: the only tools that its helper has.'),
  context: z.enum(['main', 'fork'], 'must be "main" or "fork"').optional(),
  agent: z.string().min(1).max(200).optional().describe('Of a fork: the agent or the model that does it.'),
  'disable-model-invocation': z.boolean().optional().describe('Only a person or the API can start it.'),
})
export type SkillFile = z.infer<typeof SkillFile>

/** Where skills are looked for, in this order; the first that has a name is it. */
export const SkillSource = z.enum(['agent', 'project', 'global', '.claude', '.agents'])
export type SkillSource = z.infer<typeof SkillSource>

export const SkillInfo = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    /** What may follow its name. */
    hint: z.string().optional(),
    source: SkillSource,
    folder: z.string(),
    /** fork: a helper of its own does it, and the result comes back. */
    context: z.enum(['main', 'fork']),
    /** Of a fork: the agent or the model that does it. */
    agent: z.string().optional(),
    /** Of a fork: the only tools that its helper has. */
    tools: z.array(z.string()).optional(),
    /** No agent can start it. */
    humanOnly: z.boolean(),
  })
  .meta({ id: 'Skill' })
export type SkillInfo = z.infer<typeof SkillInfo>

export const SkillDetails = z.strictObject({ ...SkillInfo.shape, text: z.string() })
export type SkillDetails = z.infer<typeof SkillDetails>

export const RunSkill = z
  .strictObject({
    agent: z.string().min(1).max(64).optional().describe('Whom to give it as a task'),
    session: z.string().min(1).max(100).optional().describe('Or: the session to which it is said'),
    arguments: z.string().max(100_000).optional(),
    /** The same one again returns the first result. */
    clientId: z.string().min(1).max(200).optional(),
  })
  .refine(({ agent, session }) => (agent === undefined) !== (session === undefined), {
    error: 'give either agent or session',
  })
export type RunSkill = z.infer<typeof RunSkill>

/** A task, or what became of the message. */
export const SkillRun = z.strictObject({ task: Task.optional(), receipt: Receipt.optional() })
