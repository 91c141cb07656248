import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { ReturnMode } from '../../contract/tasks.ts'
import type { ToolContext } from '../../core/base/index.ts'
import { longestWait } from '../../core/config/index.ts'
import { reachable, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { shownHandle } from '../../core/sessions/index.ts'
import { type Order, type Spawned, spawn } from '../../core/tasks/index.ts'
import { parkForSpawned } from '../../core/waits/index.ts'

export const agentSpawn = defineTool({
  name: 'agent_spawn',
  description:
    'Give work to a fresh helper, which sees only your instruction. Its result comes now (wait) or as a message.',
  input: z.strictObject({
    agent: z.string().min(1).max(64).describe('Who does it'),
    instruction: z.string().min(1).describe('What to do, with which files, what to hand back'),
    returnMode: ReturnMode.default('summary').describe('How much comes back'),
    wait: z.boolean().default(true).describe('false: go on at once; for several, then task_wait'),
    tools: z.array(z.string().min(1).max(100)).max(100).optional().describe('Globs: only these of its tools'),
    topLevel: z.boolean().default(false).describe('Independent of you; nobody is told how it ends'),
    workspace: z.string().max(1000).optional().describe('Inside yours'),
  }),
  capabilities: ['agents'],
  parallel: true,
  idempotent: true,
  maxOutputChars: 70_000,
  subjects: ({ agent, topLevel }) => [{ text: agent }, ...(topLevel ? [{ text: 'topLevel' }] : [])],
  hides: ({ permits }) => (permits('topLevel') ? [] : ['topLevel']),
  async run(order, context) {
    await checkReach(order, context)
    const made = await spawn(context.core, context, order)
    if (order.wait && !order.topLevel) {
      const until = context.core.clock.now() + (await longestWait(context.core, context.project))
      return parkForSpawned(made.task.id, until)
    }
    return { output: await started(context, made) }
  },
})

async function checkReach(order: Order, context: ToolContext): Promise<void> {
  const by = await speakerOf(context)
  if (!by.mayReach(order.agent)) {
    throw new AppError('address.not_allowed', `You may not spawn ${order.agent}.`, {
      hint: await reachable(context.core, by),
    })
  }
  if (order.topLevel && !by.permits('topLevel')) {
    throw new AppError('permission.denied', 'You may not start independent sessions.', {
      hint: 'Leave topLevel out, or ask the person for a rule that allows "agent_spawn(topLevel)".',
    })
  }
}

const started = async ({ core }: ToolContext, { task, session }: Spawned) => ({
  taskId: task.id,
  session: await shownHandle(core, session),
  status: task.status,
  ...(task.top_level === 1 ? { note: 'An independent session: fire and forget.' } : {}),
})
