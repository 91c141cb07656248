import { z } from 'zod'
import { reachableAgents, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'

export const agentList = defineTool({
  name: 'agent_list',
  description:
    'List the agents you may reach: what each is for, whether it can be messaged or spawned, its open sessions.',
  input: z.strictObject({}),
  capabilities: ['agents'],
  rare: true,
  parallel: true,
  idempotent: true,
  async run(_input, context) {
    return { output: { agents: await reachableAgents(context.core, await speakerOf(context)) } }
  },
})
