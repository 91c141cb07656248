import { z } from 'zod'
import { PermissionDecision } from './permissions.ts'

const described = {
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  inputSchema: z.record(z.string(), z.unknown()),
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
