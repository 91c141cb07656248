import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { publish } from '../../core/runs/index.ts'

const SHOWN = 20

export const publishTool = defineTool({
  name: 'publish',
  description:
    'Hand your node over: what is in its scratch folder becomes its result, which all in the run can read and nobody can change. This ends the node.',
  input: z.strictObject({
    summary: z
      .string()
      .trim()
      .max(20_000)
      .default('')
      .describe('What the result is, in a few sentences; needed where there is no file'),
  }),
  capabilities: ['tasks'],
  guidance: 'call it last: nothing more is done on the node.',
  idempotent: true,
  async run({ summary }, { core, sessionId }) {
    const files = await publish(core, sessionId, { summary })
    const shown = files.slice(0, SHOWN).map(({ path, size }) => ({ path, size }))
    return { output: { published: shown, ...(files.length > SHOWN && { more: files.length - SHOWN }) } }
  },
})
