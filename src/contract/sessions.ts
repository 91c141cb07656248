import { z } from 'zod'
import { Spent } from './cost.ts'
import { RunId, SessionId, TaskId, Time } from './ids.ts'
import { Tokens } from './messages.ts'

export const Mode = z.enum(['chat', 'task', 'subagent', 'daemon'])
export type Mode = z.infer<typeof Mode>

export const SessionStatus = z.enum(['idle', 'running', 'waiting', 'paused', 'error', 'closed'])
export type SessionStatus = z.infer<typeof SessionStatus>

export const Unattended = z.enum(['wait', 'deny', 'allow'])
export type Unattended = z.infer<typeof Unattended>

/** What becomes of a question that nobody answers: it waits, the first option is taken, or it expires after so many seconds. */
export const Questions = z
  .string()
  .regex(/^(wait|first|expire:[1-9]\d{0,6})$/, 'must be "wait", "first" or "expire:<seconds>"')
export type Questions = z.infer<typeof Questions>

/** What is asked of a turn, the weakest first: a weaker word never takes back a stronger one. */
export const Signal = z.enum(['resume', 'interrupt', 'pause', 'cancel', 'close'])
export type Signal = z.infer<typeof Signal>

/** Who ended a session: a person, the session that made it, or the runtime when its work is done. */
export const Stopper = z.enum(['human', 'parent', 'system'])
export type Stopper = z.infer<typeof Stopper>

export const Session = z
  .strictObject({
    id: SessionId,
    handle: z.string(),
    agent: z.string(),
    mode: Mode,
    project: z.string(),
    parentSessionId: SessionId.optional(),
    /** The task it works on, or worked on. */
    taskId: TaskId.optional(),
    /** The run of which it is or was a member, and its name there; the coordinator has none. */
    runId: RunId.optional(),
    worker: z.string().optional(),
    /** Where the person was before they switched here. */
    cameFrom: SessionId.optional(),
    title: z.string(),
    pinnedAt: Time.optional(),
    attributes: z.record(z.string(), z.unknown()),
    model: z.string().optional(),
    status: SessionStatus,
    /** Why the status is what it is, in one sentence: the error, who paused it, what it waits for. */
    reason: z.string().optional(),
    workspace: z.string(),
    unattended: Unattended.optional(),
    questions: Questions.optional(),
    messageCount: z.int(),
    tokens: Tokens,
    ...Spent.shape,
    compactionCount: z.int(),
    autoWakeBudget: z.int(),
    lastSnippet: z.string(),
    readSeq: z.int(),
    /** A tick that found nothing to do; lists leave it out unless asked. */
    hidden: z.boolean().optional(),
    createdAt: Time,
    updatedAt: Time,
    closedAt: Time.optional(),
    deletedAt: Time.optional(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

/** How a turn ended. `parked` is not an end: the turn goes on when its calls are resolved. */
export const TurnEnd = z.enum(['done', 'canceled', 'error', 'limit', 'stalled', 'closed'])
export type TurnEnd = z.infer<typeof TurnEnd>

export const Todo = z.strictObject({
  content: z.string().min(1).max(2000),
  status: z.enum(['pending', 'in_progress', 'completed', 'canceled']).default('pending'),
  priority: z.enum(['high', 'medium', 'low']).default('medium'),
})
export type Todo = z.infer<typeof Todo>
