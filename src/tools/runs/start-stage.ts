import { z } from 'zod'
import { StageContract } from '../../contract/runs.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { startStage } from '../../core/runs/index.ts'

export const startStageTool = defineTool({
  name: 'start_stage',
  description:
    'Hear of some nodes together: one message when all have ended (or most, or one, by checkpointPolicy), instead of one for each.',
  input: z.strictObject({
    name: z.string().trim().min(1).max(100),
    nodes: z.array(z.string().max(100)).min(1).max(1000).describe('Ids of nodes that you made'),
    contract: StageContract.prefault({}),
  }),
  capabilities: ['tasks'],
  idempotent: true,
  async run(order, context) {
    const { id, status } = await startStage(context.core, context, order)
    return { output: { stageId: id, status } }
  },
})
