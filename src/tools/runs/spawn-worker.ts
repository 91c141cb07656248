import { z } from 'zod'
import { ModelName } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { reachable, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { spawnWorker } from '../../core/runs/index.ts'

export const spawnWorkerTool = defineTool({
  name: 'spawn_worker',
  description: 'Take a named worker into the run. It keeps its conversation from node to node.',
  input: z.strictObject({
    name: z.string().min(1).max(32).describe('A name of its own, such as "Alice"'),
    agent: z.string().min(1).max(64).optional().describe('Whose prompt, model and tools it has'),
    model: ModelName.optional(),
    identity: z.string().trim().min(1).max(4000).optional().describe('Who it is and how it works, beyond its agent'),
  }),
  capabilities: ['tasks', 'agents'],
  idempotent: true,
  subjects: ({ agent }) => [{ text: agent ?? '' }],
  async run(order, context) {
    const by = await speakerOf(context)
    if (order.agent !== undefined && !by.mayReach(order.agent)) {
      throw new AppError('address.not_allowed', `You may not have ${order.agent} work for you.`, {
        hint: await reachable(context.core, by),
      })
    }
    const { name, agent } = await spawnWorker(context.core, context, order)
    return { output: { worker: name, agent } }
  },
})
