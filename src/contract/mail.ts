import { z } from 'zod'
import { MailId, SessionId, Time } from './ids.ts'
import { From } from './messages.ts'

/** What deliver() decided at the moment of acceptance. */
export const Outcome = z.enum(['started', 'queued', 'held', 'answered', 'suppressed'])
export type Outcome = z.infer<typeof Outcome>

/** Where the mail is now. */
export const MailState = z.enum(['queued', 'held', 'suppressed', 'taken', 'answered', 'expired', 'undeliverable'])
export type MailState = z.infer<typeof MailState>

export const MAIL_LIMIT = 256 * 1024
export const MAILBOX_LIMIT = 1000
/** What the model sees of one mail; the rest stays in the mail row. */
export const MAIL_SHOWN = 16 * 1024

export const Mail = z
  .strictObject({
    id: MailId,
    sessionId: SessionId,
    from: From,
    content: z.string(),
    followup: z.boolean(),
    interrupt: z.boolean(),
    outcome: Outcome,
    state: MailState,
    turnId: z.string().optional(),
    clientId: z.string().optional(),
    replyTo: z.string().optional(),
    chainId: z.string(),
    hops: z.int(),
    /** The mail is a question, and its sender waits until then at the latest. */
    asksUntil: Time.optional(),
    expiresAt: Time.optional(),
    takenAt: Time.optional(),
    createdAt: Time,
  })
  .meta({ id: 'Mail' })
export type Mail = z.infer<typeof Mail>

export const Receipt = z.strictObject({
  mailId: MailId,
  outcome: Outcome,
  state: MailState,
  session: z.string().optional(),
  sessionId: SessionId.optional(),
  at: Time,
  /** What the sender should know: a skill that the message names is not there, or everything is paused. */
  hint: z.string().optional(),
})
export type Receipt = z.infer<typeof Receipt>
