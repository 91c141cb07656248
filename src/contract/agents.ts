import { z } from 'zod'
import { HooksFile } from './hook-file.ts'
import { Seconds } from './ids.ts'
import { Mode } from './sessions.ts'

/** Words that are addresses already; an agent may not be called like one, nor like a handle. */
const reservedNames = [
  'human',
  'parent',
  'coordinator',
  'latest',
  'system',
  'trigger',
  'session',
  'worker',
  'task',
  'node',
  'stage',
]

export const AgentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be lowercase letters, digits and dashes, beginning with a letter')
  .refine(
    (name) => !/^[0-9a-f-]{4,}$/.test(name),
    'looks like a session handle (only a-f, 0-9 and dashes); choose another name',
  )
  // Unless told otherwise, the coordinator of a run is a session of the agent with that name.
  .refine((name) => name === 'coordinator' || !reservedNames.includes(name), 'is a reserved word; choose another name')
export type AgentName = z.infer<typeof AgentName>

export const ModelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, 'must be "provider/model", for example "anthropic/claude-sonnet-5-5"')
  .describe('provider/model')
export type ModelName = z.infer<typeof ModelName>

const globs = z.array(z.string().min(1))
const Scope = z.strictObject({ allow: globs.optional(), deny: globs.optional() })

export const PermissionRules = z.strictObject({
  allow: globs.optional().describe('Rules whose calls run without asking.'),
  ask: globs.optional().describe('Rules whose calls are asked for; stronger than allow.'),
  deny: globs.optional().describe('Rules whose calls are refused; stronger than ask.'),
})
export type PermissionRules = z.infer<typeof PermissionRules>

export const AgentLimits = z.strictObject({
  maxIterations: z.int().min(1).max(1000).optional().describe('Model calls in one turn (50).'),
  maxDurationSeconds: Seconds.optional().describe('Working time of one turn, or of all turns of a task (1800).'),
  maxCostUsd: z.number().positive().optional(),
  dailyCostUsd: z.number().positive().optional(),
  maxSpawnDepth: z.int().min(0).max(10).optional().describe('Children of children of … (3).'),
})
export type AgentLimits = z.infer<typeof AgentLimits>

const Reasoning = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

const Runtime = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('model') }),
  z.looseObject({ kind: z.literal('cli'), preset: z.string() }),
  z.looseObject({ kind: z.literal('a2a'), url: z.string() }),
])
export type RuntimeKind = z.infer<typeof Runtime>['kind']

const Workspace = z.union(
  [
    z.enum(['project', 'run', 'worktree']),
    z.strictObject({
      path: z.string().optional(),
      repos: z.array(z.string()).optional(),
      shared: z.boolean().optional().describe('Every host has the folder, so its sessions run on any of them.'),
    }),
  ],
  'must be "project", "run", "worktree" or {"path": "…", "repos": ["…"]}',
)

/** What a mode may override. */
const behaviour = {
  displayName: z.string().max(100).optional(),
  description: z.string().max(2000).optional().describe('What other agents see of it.'),
  model: ModelName.optional(),
  fallbackModels: z.array(ModelName).optional().describe('Tried in order when the model cannot be used.'),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  reasoning: Reasoning.optional(),
  runtime: Runtime.optional().describe('What runs it: a model (default), a command-line agent, or an agent elsewhere.'),
  tools: Scope.optional().describe('Globs on tool names; deny wins; absent = all.'),
  capabilities: Scope.optional().describe(
    'Globs on what tools declare (files.read, files.write, shell, net, …): all must be allowed, none denied.',
  ),
  toolExposure: z.enum(['tools', 'skills', 'mixed']).optional(),
  skills: z
    .strictObject({
      allow: globs.optional(),
      deny: globs.optional(),
      autoLoad: globs.optional(),
      discovery: z.boolean().optional(),
    })
    .optional(),
  agents: Scope.optional().describe('Whom it may see, message and spawn.'),
  visible: z.boolean().optional().describe("false: hidden from people's pickers, still reachable by agents that may."),
  icon: z.string().max(64).optional(),
  color: z.string().max(32).optional(),
  permissions: PermissionRules.optional(),
  limits: AgentLimits.optional(),
  delegate: z
    .strictObject({ allow: globs.optional() })
    .optional()
    .describe('Tools it may hand on without having them itself.'),
  hooks: HooksFile.optional().describe('Commands at moments of its sessions; docs/hooks.md.'),
  mcpServers: z.record(z.string(), z.unknown()).optional(),
  workspace: Workspace.optional(),
}

const ModeOverride = z.strictObject({ enabled: z.boolean().optional(), ...behaviour })
export type ModeOverride = z.infer<typeof ModeOverride>

/** agent.json, also the front matter of the single-file form. */
export const AgentFile = z.strictObject({
  $schema: z.string().optional(),
  name: AgentName.optional().describe("The folder's name; may be left out."),
  ...behaviour,
  modes: z
    .partialRecord(Mode, ModeOverride)
    .optional()
    .describe('Each mode may switch itself off and override any of the other fields.'),
})
export type AgentFile = z.infer<typeof AgentFile>

/** A file, the field in it and what is wrong with it. */
export const Problem = z.strictObject({
  file: z.string(),
  field: z.string().optional(),
  message: z.string(),
  needs: z.literal('trust').optional().describe('It goes away once the person trusts the project.'),
})
export type Problem = z.infer<typeof Problem>

export const AgentSource = z.enum(['project', 'global', 'built-in'])
export type AgentSource = z.infer<typeof AgentSource>

/** A definition as loaded: the file's fields, the prose beside it, and where it came from. */
export const Agent = z
  .strictObject({
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    source: AgentSource,
    folder: z.string(),
    definition: AgentFile,
    /** AGENT.md, SOUL.md, GOAL.md */
    prose: z.strictObject({ agent: z.string(), soul: z.string(), goal: z.string() }),
    /** Changes whenever any of its files does. */
    hash: z.string(),
    problems: z.array(Problem),
    /** A broken agent is listed but cannot be talked to. */
    broken: z.boolean(),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>
