import { z } from 'zod'
import { Problem } from './agents.ts'
import { PutAgent } from './api.ts'
import { PermissionDecision } from './permissions.ts'
import { SessionPrompt } from './session-parts.ts'
import { Mode } from './sessions.ts'

/** A definition that somebody is still writing; prose that is not given is that on disk. */
export const PreviewAgent = PutAgent.omit({ where: true }).extend({ mode: Mode.optional() })
export type PreviewAgent = z.infer<typeof PreviewAgent>

/** A broken one has neither a prompt nor tools. */
export const AgentPreview = z
  .strictObject({
    problems: z.array(Problem),
    broken: z.boolean(),
    prompt: SessionPrompt.optional(),
    tools: z.array(z.string()).optional(),
    /** What would happen to a call of each tool, and the rule that decides. */
    permissions: z.record(z.string(), z.strictObject({ decision: PermissionDecision, because: z.string() })).optional(),
  })
  .meta({ id: 'AgentPreview' })
export type AgentPreview = z.infer<typeof AgentPreview>
