import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { reconvene } from '../../core/runs/index.ts'

export const reconveneTool = defineTool({
  name: 'reconvene',
  description: 'Complete the stage that has come to its end, with what you make of its results.',
  input: z.strictObject({ assessment: z.string().trim().min(1).max(20_000) }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ assessment }, { core, sessionId }) {
    const { id, status } = await reconvene(core, sessionId, assessment)
    return { output: { stageId: id, status, reflection: REFLECTION } }
  },
})

const REFLECTION = 'What this stage taught that lasts beyond the run goes into memory now, if there is anything.'
