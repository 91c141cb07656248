import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { retireWorker } from '../../core/runs/index.ts'

export const retireWorkerTool = defineTool({
  name: 'retire_worker',
  description: 'Let a worker go that is not needed any more. Others do what it had not begun.',
  input: z.strictObject({ worker: z.string().min(1).max(32) }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ worker }, { core, sessionId }) {
    await retireWorker(core, sessionId, worker)
    return { output: { worker, status: 'retired' } }
  },
})
