import { z } from 'zod'
import { keyOf } from '../../core/base/index.ts'
import { sendAs, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { addressed, to, which } from './addressing.ts'

export const agentSend = defineTool({
  name: 'agent_send',
  description: 'Write to an agent, a session or the person without waiting. An answer arrives as a message.',
  input: z.strictObject({
    to,
    message: z.string().min(1).describe('With all it needs to know; it sees nothing else'),
    followup: z.boolean().optional().describe('Read when it has finished its current work'),
    interrupt: z.boolean().optional().describe('It stops and reads this first; only for your children'),
    session: which,
  }),
  capabilities: ['agents'],
  sends: 'news',
  guidance:
    'it tells, agent_message asks and waits, agent_spawn hands on work. Do not answer thanks: each message costs a turn.',
  idempotent: true,
  subjects: ({ to, session, interrupt }) => [...addressed(to, session), ...(interrupt ? [{ text: 'interrupt' }] : [])],
  // An agent that can have children may interrupt them without a rule.
  hides: ({ permits, has }) => (has('agent_spawn') || permits('interrupt') ? [] : ['interrupt']),
  addresses: ({ to, session }) => ({ to, session }),
  async run({ to, message, followup, interrupt, session }, context) {
    const words = { to, content: message, followup, interrupt, session, clientId: keyOf(context.callId) }
    const sent = await sendAs(context.core, await speakerOf(context), words)
    if (sent.to === 'human') return { output: { inboxId: sent.inboxId, outcome: 'in the inbox of the person' } }
    if (sent.to === 'everyone')
      return { output: { sent: sent.receipts.map(({ mailId, outcome, session }) => ({ mailId, outcome, session })) } }
    const { mailId, outcome, session: handle } = sent.receipt
    const output = { mailId, outcome, session: handle, created: sent.created }
    return outcome === 'suppressed' ? { output: { ...output, note: STORED } } : { output }
  },
})

const STORED =
  'Stored, but it wakes nobody: too much has passed between agents without a person. Do not send it again; the person has been told.'
