import { z } from 'zod'
import { Spent } from './cost.ts'
import { MailId, TaskId } from './ids.ts'
import { MAIL_LIMIT } from './mail.ts'

/** How long a session's question waits over HTTP unless the request says otherwise; no question waits longer. */
export const ASK_SECONDS = 600

/** What came of a question that a session asked. */
export const Answer = z
  .strictObject({
    status: z.enum(['complete', 'timeout', 'failed', 'refused']),
    agent: z.string(),
    /** The handle of the session that was asked. */
    session: z.string(),
    /** The session was made for this question. */
    created: z.boolean(),
    response: z.string(),
    truncated: z.boolean(),
    durationMs: z.number(),
    /** What the turn that answered cost; absent where that is not known. */
    ...Spent.partial().shape,
    toolCalls: z.array(z.strictObject({ name: z.string(), durationMs: z.number() })),
  })
  .meta({ id: 'Answer' })
export type Answer = z.infer<typeof Answer>

/** A question in a mailbox whose sender waits. */
export const Question = z
  .strictObject({
    mailId: MailId,
    from: z.string(),
    question: z.string(),
    taskId: TaskId.optional(),
  })
  .meta({ id: 'Question' })
export type Question = z.infer<typeof Question>

export const AnswerMail = z.strictObject({ content: z.string().min(1).max(MAIL_LIMIT) })
export type AnswerMail = z.infer<typeof AnswerMail>

/** What a session gets when it writes to the person. */
export const InboxReceipt = z.strictObject({ inboxId: z.string() })
export type InboxReceipt = z.infer<typeof InboxReceipt>
