import { z } from 'zod'
import { PermissionDecision } from './permissions.ts'

/** Where a tool comes from, in the order in which a name is looked for. */
export const ToolSourceName = z.enum(['built-in', 'agent', 'project', 'global', 'mcp', 'client'])
export type ToolSourceName = z.infer<typeof ToolSourceName>

/** loaded: its schema is in every request. listed: its name is, until it is searched for. active: a search has loaded it. */
export const ToolTier = z.enum(['loaded', 'listed', 'active'])
export type ToolTier = z.infer<typeof ToolTier>

export const ToolName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/, 'must be letters, digits, dashes and underscores, beginning with a letter')

const JsonSchema = z.record(z.string(), z.unknown())
const seconds = z.int().min(1).max(600)

/** tool.json of a custom tool. */
export const ToolFile = z
  .strictObject({
    $schema: z.string().optional(),
    name: ToolName.optional().describe("The folder's name; may be left out."),
    description: z.string().min(1).max(2000).describe('What it does, for the model; the first sentence is listed.'),
    inputSchema: JsonSchema.optional().describe('JSON Schema of the input, of type "object".'),
    input_schema: JsonSchema.optional().describe('The same, as other programs write it.'),
    capabilities: z
      .array(z.string().min(1).max(64))
      .max(20)
      .optional()
      .describe('What it needs (files.read, files.write, net, shell, …); without this it counts as "shell".'),
    timeoutSeconds: seconds.optional().describe('After so many seconds it is ended (30).'),
    timeout: seconds.optional().describe('The same, as other programs write it.'),
    parallel: z.boolean().optional().describe('It may run beside the other calls of a step.'),
    idempotent: z.boolean().optional().describe('It may be run again after a crash.'),
    env: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable'))
      .max(50)
      .optional()
      .describe('Names of the variables it gets from the environment of the server.'),
  })
  .refine(({ inputSchema, input_schema }) => !inputSchema || !input_schema, {
    path: ['input_schema'],
    error: 'stands beside inputSchema; keep one of them',
  })
export type ToolFile = z.infer<typeof ToolFile>

const described = {
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  inputSchema: z.record(z.string(), z.unknown()),
  source: ToolSourceName,
  /** The folder or server it comes from; empty for built-in ones. */
  place: z.string(),
  tier: ToolTier,
}

/** A tool as it is described to people and models. */
export const ToolInfo = z
  .strictObject({
    ...described,
    /** The rules without which a model is not shown the tool, or some of its fields. */
    needsRules: z.array(z.string()),
  })
  .meta({ id: 'Tool' })
export type ToolInfo = z.infer<typeof ToolInfo>

/** A tool that a session has, and what would happen to a call of it. */
export const SessionTool = z.strictObject({
  ...described,
  permission: z.strictObject({ decision: PermissionDecision, because: z.string() }),
})
export type SessionTool = z.infer<typeof SessionTool>
