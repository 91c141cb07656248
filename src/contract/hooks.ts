import { z } from 'zod'
import { Problem } from './agents.ts'

/** When a hook runs. */
export const HookEvent = z.enum(['sessionStart', 'beforeTool', 'afterTool', 'turnEnd', 'taskEnd'])
export type HookEvent = z.infer<typeof HookEvent>

/** How it came out. said: it has text for the model. failed: it broke, hung or printed what nobody understands. */
export const HookVerdict = z.enum(['passed', 'changed', 'denied', 'said', 'failed'])
export type HookVerdict = z.infer<typeof HookVerdict>

export const HookInfo = z
  .strictObject({
    event: HookEvent,
    name: z.string(),
    command: z.string(),
    match: z.array(z.string()).optional(),
    timeoutSeconds: z.int(),
    env: z.array(z.string()),
    /** The file or the agent that has it. */
    from: z.string(),
  })
  .meta({ id: 'Hook' })
export type HookInfo = z.infer<typeof HookInfo>

export const HookList = z.strictObject({ items: z.array(HookInfo), problems: z.array(Problem) })
export type HookList = z.infer<typeof HookList>

/** Runs hooks as they would run, without a session; nothing comes of what they say. */
export const TestHooks = z.strictObject({
  event: HookEvent,
  agent: z.string().max(64).optional().describe('Whose hooks count besides those of the settings (assistant).'),
  hook: z.string().max(200).optional().describe('Only the one of this name.'),
  tool: z.string().max(64).optional().describe('For hooks of tools: which tool (bash).'),
  input: z.unknown().optional().describe('For hooks of tools: its input.'),
})
export type TestHooks = z.infer<typeof TestHooks>

export const HookTried = z.strictObject({
  hook: z.string(),
  from: z.string(),
  verdict: HookVerdict,
  said: z.string().optional(),
  /** The input as the hook left it, where it changed it. */
  input: z.unknown().optional(),
  durationMs: z.int(),
})
export type HookTried = z.infer<typeof HookTried>
