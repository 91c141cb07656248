import { z } from 'zod'
import { speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { leadPerson } from '../../core/steering/index.ts'
import { addressed } from './addressing.ts'

export const switchTo = defineTool({
  name: 'switch_to',
  description:
    'Lead the person on to another agent: they continue in its latest session, with a message from you if you give one.',
  input: z.strictObject({
    agent: z.string().min(1).max(64).describe('The name of the agent'),
    message: z.string().min(1).max(20_000).optional().describe('What that agent should know or do; it comes from you'),
  }),
  capabilities: ['agents'],
  rare: 'leads the person',
  guidance:
    'Use it when the person wants to talk to another agent ("switch to the journal agent and …"), then end your turn. To ask ' +
    'another agent something yourself, write to it instead.',
  idempotent: true,
  subjects: ({ agent }) => addressed(agent),
  addresses: ({ agent, message }) => ({ to: agent, ...(message === undefined ? {} : { as: 'agent_send' }) }),
  async run(order, context) {
    const { session, receipt } = await leadPerson(context.core, await speakerOf(context), order, context.callId)
    return {
      output: { agent: session.agent, session: session.handle, ...(receipt ? { message: receipt.outcome } : {}) },
    }
  },
})
