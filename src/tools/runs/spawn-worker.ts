import { z } from 'zod'
import { ModelName } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import { WorkerKind } from '../../contract/runs.ts'
import { reachable, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { chooseAgent, spawnWorker } from '../../core/runs/index.ts'

export const spawnWorkerTool = defineTool({
  name: 'spawn_worker',
  description: 'Take a named worker into the run. It keeps its conversation from node to node.',
  input: z.strictObject({
    name: z.string().min(1).max(32).describe('A name of its own, such as "Alice"'),
    kind: WorkerKind.optional().describe('harnessed: a model; autonomous: a coding program'),
    agent: z.string().min(1).max(64).optional().describe('Whose prompt, model and tools it has'),
    model: ModelName.optional(),
    cli: z.string().min(1).max(64).optional().describe('Which program, such as "claude"'),
    tools: z.array(z.string().min(1).max(100)).max(100).optional().describe('Globs: only these of its tools'),
    identity: z.string().trim().min(1).max(4000).optional().describe('Who it is and how it works, beyond its agent'),
    mayWriteMemory: z.boolean().optional().describe('What it learns may outlast the run'),
  }),
  capabilities: ['tasks', 'agents'],
  idempotent: true,
  subjects: ({ agent, cli }) => [{ text: agent ?? (cli === undefined ? '' : `cli:${cli}`) }],
  async run(order, context) {
    const by = await speakerOf(context)
    const chosen = await chooseAgent(context.core, context.project, order)
    const isNamed = order.agent !== undefined || order.cli !== undefined
    if (isNamed && !by.mayReach(chosen.agent.name)) {
      throw new AppError('address.not_allowed', `You may not have ${chosen.agent.name} work for you.`, {
        hint: await reachable(context.core, by),
      })
    }
    const { name, agent, kind } = await spawnWorker(context.core, context, chosen, order)
    return { output: { worker: name, agent, ...(kind === 'autonomous' && { kind }) } }
  },
})
