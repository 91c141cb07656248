import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { ownBoard } from '../../core/runs/index.ts'
import { shorten } from '../../lib/shorten.ts'

const SAID = 200

export const checkBoard = defineTool({
  name: 'check_board',
  description: 'The nodes of the run with status, worker and what they depend on, and the workers.',
  input: z.strictObject({}),
  capabilities: ['tasks'],
  parallel: true,
  idempotent: true,
  async run(_, context) {
    const { nodes, workers } = await ownBoard(context.core, context.sessionId)
    return {
      output: {
        nodes: nodes.map(({ id, title, status, worker, dependsOn, summary, reason }) => ({
          id,
          title,
          status,
          ...(worker === undefined ? {} : { worker }),
          ...(dependsOn.length === 0 ? {} : { dependsOn }),
          ...((summary ?? reason) === undefined ? {} : { said: shorten((summary ?? reason)!, SAID) }),
        })),
        workers: workers.map(({ name, agent, status, nodeId }) => ({ name, agent, status, ...(nodeId && { nodeId }) })),
      },
    }
  },
})
