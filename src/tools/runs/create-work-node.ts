import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { createNode } from '../../core/runs/index.ts'

export const createWorkNode = defineTool({
  name: 'create_work_node',
  description:
    "Put a piece of work on the run's board. It begins when all that it depends on has finished; a message tells you how it ends.",
  input: z.strictObject({
    task: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .describe('What to produce and how it is judged; the first line is its title. Whoever does it knows only this'),
    dependsOn: z.array(z.string().max(100)).max(100).default([]).describe('Ids of nodes that finish before'),
    refs: z
      .record(z.string().regex(/^[\w-]{1,64}$/), z.string().max(1000))
      .refine((refs) => Object.keys(refs).length <= 20, { error: 'give 20 refs at most' })
      .default({})
      .describe(
        'Results it builds on: a name, and nodes/<id>/published/<file> (or the id); it begins after those nodes',
      ),
    single: z.boolean().default(false).describe('One answer of the model, without tools, is the result'),
    worker: z.string().min(1).max(32).optional().describe('Who does it; any idle worker unless told'),
  }),
  capabilities: ['tasks'],
  guidance: 'then do not wait or look again: end your turn, and a message comes.',
  parallel: false,
  idempotent: true,
  async run(order, context) {
    const { id, status } = await createNode(context.core, context, order)
    return { output: { nodeId: id, status } }
  },
})
