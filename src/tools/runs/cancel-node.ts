import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { cancelNode } from '../../core/runs/index.ts'

export const cancelNodeTool = defineTool({
  name: 'cancel_node',
  description: 'Call a node off, with all below it. What depends on it is blocked.',
  input: z.strictObject({ nodeId: z.string().max(100), reason: z.string().trim().min(1).max(500).optional() }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ nodeId, reason = 'The coordinator called it off.' }, { core, sessionId }) {
    const { status } = await cancelNode(core, { sessionId }, nodeId, reason)
    return {
      output: { nodeId, status: status === 'canceled' ? status : 'being stopped; a message tells you when it has' },
    }
  },
})
