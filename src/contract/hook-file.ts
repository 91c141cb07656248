import { z } from 'zod'

/** The hooks of agent.json and of the settings, by the event at which they run. */

export const HOOK_SECONDS = 30

const hook = {
  command: z
    .string()
    .min(1)
    .max(4000)
    .describe('A line for bash. It gets JSON on its standard input; $TROUPE_HOOKS is the folder of its programs.'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9][\w .-]{0,63}$/, 'must be letters, digits, spaces, dots, dashes and underscores')
    .optional()
    .describe('What it is called where people read of it; the command unless given.'),
  timeoutSeconds: z.int().min(1).max(300).optional().describe(`After so many seconds it is ended (${HOOK_SECONDS}).`),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable'))
    .max(50)
    .optional()
    .describe('Names of the variables it gets from the environment of the server.'),
}

/** One of a tool; the others have no `match`. */
export const HookFile = z.strictObject({
  ...hook,
  match: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(50)
    .optional()
    .describe('Globs on the names of tools; every tool unless given.'),
})
export type HookFile = z.infer<typeof HookFile>

const hooks = z.array(z.strictObject(hook)).max(20).optional()
const toolHooks = z.array(HookFile).max(20).optional()

export const HooksFile = z.strictObject({
  sessionStart: hooks.describe('Before the first turn of a session; may have text for the agent.'),
  beforeTool: toolHooks.describe('Before a tool runs; may deny the call or change its input.'),
  afterTool: toolHooks.describe('After a tool has run; may have text for the agent.'),
  turnEnd: hooks.describe('When a turn has ended.'),
  taskEnd: hooks.describe('When a task has ended.'),
})
export type HooksFile = z.infer<typeof HooksFile>
