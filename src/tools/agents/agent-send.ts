import { z } from 'zod'
import { keyOf } from '../../core/base/index.ts'
import { sendAs, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { addressed, to, which } from './addressing.ts'

export const agentSend = defineTool({
  name: 'agent_send',
  description:
    'Send a message to an agent, a session or the person without waiting. An answer, if any, arrives as a message.',
  input: z.strictObject({
    to,
    message: z.string().min(1).describe('What the other needs to know; it sees nothing else of this conversation'),
    followup: z.boolean().optional().describe('The other reads it only after it has finished its current work'),
    interrupt: z
      .boolean()
      .optional()
      .describe('The other stops its work and reads this first. Sessions that are not your children need permission'),
    session: which,
  }),
  capabilities: ['agents'],
  sends: 'news',
  guidance:
    'agent_send tells and does not wait; agent_message asks and waits for the answer; agent_spawn gives a piece of work to a fresh helper. Do not answer thanks or confirmations: every message costs the other a turn.',
  idempotent: true,
  subjects: ({ to, session, interrupt }) => [...addressed(to, session), ...(interrupt ? [{ text: 'interrupt' }] : [])],
  // An agent that can have children may interrupt them without a rule.
  hides: ({ permits, has }) => (has('agent_spawn') || permits('interrupt') ? [] : ['interrupt']),
  addresses: ({ to, session }) => ({ to, session }),
  async run({ to, message, followup, interrupt, session }, context) {
    const words = { to, content: message, followup, interrupt, session, clientId: keyOf(context.callId) }
    const sent = await sendAs(context.core, await speakerOf(context), words)
    if (sent.to === 'human') return { output: { inboxId: sent.inboxId, outcome: 'in the inbox of the person' } }
    const { mailId, outcome, session: handle } = sent.receipt
    const output = { mailId, outcome, session: handle, created: sent.created }
    return outcome === 'suppressed' ? { output: { ...output, note: STORED } } : { output }
  },
})

const STORED =
  'Stored, but it wakes nobody: too much has passed between agents without a person. Do not send it again; the person has been told.'
