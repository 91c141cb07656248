import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { editNode } from '../../core/runs/index.ts'

export const assignWorkerTool = defineTool({
  name: 'assign_worker',
  description: 'Choose who does a node that has not begun.',
  input: z.strictObject({ nodeId: z.string().max(100), worker: z.string().min(1).max(32) }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ nodeId, worker }, { core, sessionId }) {
    const node = await editNode(core, { sessionId }, nodeId, { worker })
    return { output: { nodeId, worker: node.worker, status: node.status } }
  },
})
