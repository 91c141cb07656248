import { z } from 'zod'

export const PermissionDecision = z.enum(['allow', 'ask', 'deny'])
export type PermissionDecision = z.infer<typeof PermissionDecision>

/** `tool` or `tool(pattern)`. */
export const PermissionRule = z
  .string()
  .max(4000)
  .regex(/^\s*[\w*.:-]+\s*(\([\s\S]+\))?\s*$/, 'must be "tool" or "tool(pattern)", for example "bash(git status*)"')

/** A rule to add or remove: for this project, or with `global` for all. Both are kept in <home>. */
export const ChangePermission = z.strictObject({
  decision: PermissionDecision,
  rule: PermissionRule,
  global: z.boolean().optional(),
})
export type ChangePermission = z.infer<typeof ChangePermission>

export const Permission = z
  .strictObject({
    decision: PermissionDecision,
    rule: z.string(),
    /** The file, flag or agent that has it. */
    from: z.string(),
  })
  .meta({ id: 'Permission' })
export type Permission = z.infer<typeof Permission>

export const CheckPermission = z.strictObject({
  tool: z.string().min(1),
  /** As the model would send it, or a text for the first field the tool takes. */
  input: z.unknown(),
  /** The agent whose tools and rules are checked. */
  agent: z.string().optional(),
})
export type CheckPermission = z.infer<typeof CheckPermission>

export const PermissionAnswer = z.strictObject({
  decision: PermissionDecision,
  because: z.string(),
  /** Each command and file of the call on its own. */
  parts: z.array(z.strictObject({ what: z.string(), decision: PermissionDecision, because: z.string() })),
})
export type PermissionAnswer = z.infer<typeof PermissionAnswer>
