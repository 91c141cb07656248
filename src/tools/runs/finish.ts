import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { finishRun, ownBoard } from '../../core/runs/index.ts'

export const finish = defineTool({
  name: 'finish',
  description: 'End the run: the goal is met, or cannot be met. Nodes that are still open are canceled.',
  input: z.strictObject({
    summary: z.string().trim().min(1).max(20_000).describe('The outcome, where everything is, and what is open'),
  }),
  capabilities: ['tasks'],
  idempotent: true,
  async run({ summary }, { core, sessionId }) {
    const status = await finishRun(core, sessionId, summary)
    const { nodes } = await ownBoard(core, sessionId)
    const results = nodes
      .filter((node) => node.status === 'finished')
      .map(({ id, title, worker }) => ({ id, title, worker }))
    const goesOn = status === 'finished' ? {} : { next: NEXT_CYCLE }
    return { output: { status, ...goesOn, results: results.slice(-LISTED), reflection: REFLECTION } }
  },
})

const LISTED = 100
const NEXT_CYCLE = 'This cycle is over; a message calls you to the next one. Only the human ends the run.'
const REFLECTION =
  'Write to memory now, once, what will help in later runs, if anything: what worked, what did not, what the human prefers. Then tell the human the outcome.'
