import { z } from 'zod'
import { PermissionDecision } from './permissions.ts'

/** Where a tool comes from, in the order in which a name is looked for. */
export const ToolSourceName = z.enum(['built-in', 'agent', 'project', 'global', 'mcp', 'client'])
export type ToolSourceName = z.infer<typeof ToolSourceName>

/** loaded: its schema is in every request. listed: its name is, until it is searched for. active: a search has loaded it. */
export const ToolTier = z.enum(['loaded', 'listed', 'active'])
export type ToolTier = z.infer<typeof ToolTier>

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
