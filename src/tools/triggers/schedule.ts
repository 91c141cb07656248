import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import { CatchUp, CreateTrigger, HeartbeatGate, TriggerType } from '../../contract/triggers.ts'
import type { Core, Subject } from '../../core/base/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { ownBoard, roleIn } from '../../core/runs/index.ts'
import { createTrigger } from '../../core/triggers/index.ts'

const config = z
  .strictObject({
    cron: z.string().max(200).optional().describe('scheduled: five fields, such as 0 9 * * MON-FRI'),
    timeZone: z.string().max(64).optional().describe('scheduled: such as Europe/Berlin; UTC without it'),
    delaySeconds: z.number().positive().optional().describe('delayed'),
    at: z.string().max(64).optional().describe('at_time: such as 2026-12-24T18:00:00+01:00'),
    intervalSeconds: z.int().positive().optional().describe('heartbeat: 60 or more'),
    onlyIf: z.array(HeartbeatGate).optional().describe('heartbeat: what must be new'),
    pattern: z
      .string()
      .max(100)
      .optional()
      .describe('on_event: such as task.finished; of yourself, your children, your tasks'),
    filter: z.record(z.string(), z.unknown()).optional().describe('on_event: what its data must have'),
    idleSeconds: z.int().positive().optional().describe('on_idle'),
    agent: z.string().max(64).optional().describe('on_idle: which agent'),
  })
  .describe('When, with the fields of the type')

const action = z
  .strictObject({
    type: z.enum(['send', 'create_task', 'run_node', 'webhook']),
    message: z
      .string()
      .max(64 * 1024)
      .optional()
      .describe('send: what the receiver needs to know then'),
    agent: z.string().max(64).optional().describe('create_task: who does it'),
    prompt: z
      .string()
      .max(64 * 1024)
      .optional()
      .describe('create_task: the whole task; run_node: the same, for the board of your run'),
    url: z.string().max(2000).optional().describe('webhook: the address that is called'),
  })
  .describe('What happens then')

export const schedule = defineTool({
  name: 'schedule',
  description: 'Have something happen later or again: a message, to yourself unless you name somebody, or a task.',
  input: z.strictObject({
    type: TriggerType.describe('What it goes by: a clock, a delay, an event, idleness'),
    config,
    action,
    to: z.string().min(1).max(200).optional().describe('send: who gets the message; yourself without it'),
    name: z.string().min(1).max(100).optional().describe('What people call it'),
    catchUp: CatchUp.optional().describe('What becomes of times that were missed: one (default), none, all'),
    maxFires: z.int().min(1).max(1000).optional().describe('20 without it'),
  }),
  capabilities: ['triggers'],
  rare: 'work that starts later',
  guidance: 'For minutes and longer use schedule, not sleep; end your turn, and you are woken.',
  idempotent: true,
  subjects: ({ action, to }) => subjectsOf(action, to),
  async run({ to, action, ...wanted }, context) {
    const { core, project, sessionId, callId, agent, definition, chain } = context
    const run = action.type === 'run_node' ? await ownRun(core, sessionId) : undefined
    const parsed = CreateTrigger.safeParse({ ...wanted, action: actionFrom(action, to, run) })
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
      throw new AppError('trigger.invalid', problems.map(({ field, message }) => `${field}: ${message}`).join('; '))
    }
    const made = await createTrigger(core, project, parsed.data, { sessionId, callId, agent, definition, chain })
    const { id, status, nextAt, maxFires } = made
    return { output: { triggerId: id, status, ...(nextAt && { nextAt }), maxFires } }
  },
})

interface Given {
  readonly type: 'send' | 'create_task' | 'run_node' | 'webhook'
  readonly message?: string | undefined
  readonly agent?: string | undefined
  readonly prompt?: string | undefined
  readonly url?: string | undefined
}

/** What rules are compared with: who is woken, who gets work, which host is called. Calls to others are asked for. */
function subjectsOf({ type, agent, url = '' }: Given, to: string | undefined): Subject[] {
  if (type === 'send') return [{ text: to ?? 'self' }]
  if (type === 'create_task') return [{ text: agent ?? '' }]
  if (type === 'run_node') return [{ text: 'run' }]
  return [{ text: `webhook:${URL.canParse(url) ? new URL(url).host : url}`, byDefault: 'ask' }]
}

function actionFrom(
  { type, message, agent, prompt, url }: Given,
  to: string | undefined,
  run: string | undefined,
): Record<string, unknown> {
  if (type === 'send') return { type, message, ...(to === undefined ? {} : { to }) }
  if (type === 'run_node') return { type, run, task: prompt }
  return type === 'webhook' ? { type, url } : { type, agent, input: { prompt } }
}

/** Of several runs a member knows its own only. */
async function ownRun(core: Core, sessionId: SessionId): Promise<RunId> {
  if ((await roleIn(core, sessionId)) !== undefined) return (await ownBoard(core, sessionId)).run.id
  throw new AppError(
    'run.not_found',
    'action: You are in no run that is open, so there is no board to put a node on.',
    {
      hint: 'Use "create_task" or "send".',
    },
  )
}
