import { z } from 'zod'
import { CallId, InboxId, SessionId, Time } from './ids.ts'
import { From } from './messages.ts'

export const InboxKind = z.enum(['question', 'approval', 'message', 'notice', 'proposal'])
export type InboxKind = z.infer<typeof InboxKind>

export const InboxStatus = z.enum(['open', 'answered', 'dismissed', 'expired'])
export type InboxStatus = z.infer<typeof InboxStatus>

/** once: this call. session: the same call again, in this session. always: the same, as a rule in <home>. */
export const Decision = z.enum(['once', 'session', 'always', 'deny'])
export type Decision = z.infer<typeof Decision>

/** What an answer does where no call waits for it: raises a budget or a limit of a run, writes a price, lets a chain go on, keeps changes. */
export const InboxAction = z.enum(['budget', 'limit', 'price', 'chain', 'changes'])
export type InboxAction = z.infer<typeof InboxAction>

/**
 * One step of how an item came about: a run and its worker, a session with its agent and handle, the task that the last
 * session works on; or what the item is about besides: a trigger, a budget, an account, the server.
 */
export const Lineage = z.strictObject({
  kind: z.enum(['run', 'worker', 'session', 'task', 'trigger', 'budget', 'account', 'server']),
  id: z.string(),
  label: z.string(),
  agent: z.string().optional(),
  handle: z.string().optional(),
})
export type Lineage = z.infer<typeof Lineage>

export const InboxItem = z
  .strictObject({
    id: InboxId,
    kind: InboxKind,
    status: InboxStatus,
    project: z.string(),
    title: z.string(),
    body: z.string(),
    options: z.array(z.string()).optional(),
    from: From,
    /** From the run or the session at the top to the session that asks, then its task, then what it is about. */
    lineage: z.array(Lineage),
    /** The rules that "always" writes for this project, and "session" keeps for the session. */
    rules: z.array(z.string()).optional(),
    /** What an answer does where no call waits for it. */
    action: InboxAction.optional(),
    /** What goes on when this is answered: calls, or sessions whose turn waits. */
    waits: z.array(z.strictObject({ callId: CallId.optional(), tool: z.string().optional(), sessionId: SessionId })),
    /** How often it was told, and when last, where the same was told again while it was open. */
    times: z.int().optional(),
    latestAt: Time.optional(),
    answer: z.unknown().optional(),
    createdAt: Time,
    answeredAt: Time.optional(),
  })
  .meta({ id: 'InboxItem' })
export type InboxItem = z.infer<typeof InboxItem>

export const InboxAnswer = z.union([
  z.strictObject({ answer: z.string().min(1).max(65_536) }),
  z.strictObject({ decision: Decision, reason: z.string().max(4096).optional() }),
])
export type InboxAnswer = z.infer<typeof InboxAnswer>
