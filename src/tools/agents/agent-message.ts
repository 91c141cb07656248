import { z } from 'zod'
import { keyOf } from '../../core/base/index.ts'
import { askOrRefuse, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { parkForAsk } from '../../core/waits/index.ts'
import { addressed, to, which } from './addressing.ts'

export const agentMessage = defineTool({
  name: 'agent_message',
  description: 'Ask another agent or session and wait for its answer.',
  input: z.strictObject({
    to,
    message: z.string().min(1).describe('With all it needs to know; it sees nothing else'),
    session: which,
    timeout: z.int().min(1).max(600).default(60).describe('Seconds; a later answer comes as a message'),
  }),
  capabilities: ['agents'],
  sends: 'questions',
  // One rule covers telling and asking.
  permittedAs: 'agent_send',
  parallel: true,
  idempotent: true,
  subjects: ({ to, session }) => addressed(to, session),
  addresses: ({ to, session }) => ({ to, session, as: 'agent_send' }),
  async run({ to, message, session, timeout }, context) {
    const left = Math.max(1, (context.deadline - context.core.clock.now()) / 1000)
    const by = await speakerOf(context)
    const words = { to, content: message, session, seconds: Math.min(timeout, left) }
    const asked = await askOrRefuse(context.core, by, {
      ...words,
      callId: context.callId,
      clientId: keyOf(context.callId),
    })
    if ('refused' in asked) return { output: asked.refused, error: true }
    return parkForAsk({ mailId: asked.receipt.mailId, until: asked.until, created: asked.created })
  },
})
