import { z } from 'zod'
import { ModelName } from './agents.ts'
import { Spent } from './cost.ts'
import { Seconds } from './ids.ts'
import { Receipt } from './mail.ts'
import { Tokens } from './messages.ts'
import { Mode, Questions, Unattended } from './sessions.ts'

export const BODY_LIMIT = 1024 * 1024

/** The same clientId again returns the first result. */
const clientId = z.string().min(1).max(200).optional()
/** true = 120 s; a number of seconds up to 600. */
const wait = z.union([z.boolean(), z.number().min(0).max(600)]).optional()

export const CreateSession = z.strictObject({
  agent: z.string().min(1),
  mode: Mode.optional(),
  title: z.string().max(200).optional(),
  model: ModelName.optional(),
  workspace: z.string().optional(),
  unattended: Unattended.optional(),
  /** What becomes of its questions that nobody answers; else the setting `questions.unattended` decides while nobody is there. */
  questions: Questions.optional(),
  attributes: z.record(z.string(), z.unknown()).optional(),
  clientId,
})
export type CreateSession = z.infer<typeof CreateSession>

export const ChangeSession = z.strictObject({
  title: z.string().min(1).max(200).optional(),
  pinned: z.boolean().optional(),
  model: ModelName.nullable().optional(),
  attributes: z.record(z.string(), z.unknown()).optional(),
  unattended: Unattended.nullable().optional(),
  questions: Questions.nullable().optional(),
})
export type ChangeSession = z.infer<typeof ChangeSession>

export const SendMessage = z.strictObject({
  content: z.string().min(1),
  followup: z.boolean().optional(),
  interrupt: z.boolean().optional(),
  ttl: Seconds.optional(),
  wait,
  clientId,
  /** The person is absent. Calls that would need their approval are decided by the setting `permissions.unattended`, or allowed. */
  unattended: z.enum(['settings', 'allow']).optional(),
  /** What becomes, from now on, of questions of the session that nobody answers. */
  questions: Questions.optional(),
})
export type SendMessage = z.infer<typeof SendMessage>

export const SendMail = z.strictObject({
  ...SendMessage.shape,
  to: z.string().min(1),
  session: z.string().optional(),
  replyTo: z.string().optional(),
  /** The sender waits for the answer, for 600 s unless `wait` says otherwise. When a session asks, the target must answer. */
  ask: z.boolean().optional(),
})
export type SendMail = z.infer<typeof SendMail>

export const EditMessage = z.strictObject({ text: z.string().min(1) })
const place = z.union([z.string(), z.int().positive()]).optional()
export const ForkSession = z
  .strictObject({
    at: place.describe('The last message of its history, by id or number; the newest if left out'),
    before: place.describe('The first message that its history does not have'),
    title: z.string().max(200).optional(),
  })
  .refine(({ at, before }) => at === undefined || before === undefined, 'takes "at" or "before", not both')
export const SwitchSession = z.strictObject({
  agent: z.string().min(1),
  message: z.string().min(1).optional(),
  clientId,
})
export type SwitchSession = z.infer<typeof SwitchSession>
export const BackSession = z.strictObject({ summary: z.string().max(10_000).optional(), clientId })
export type BackSession = z.infer<typeof BackSession>
export const CompactSession = z.strictObject({
  focus: z.string().max(2000).optional().describe('What to keep above all'),
})
export const ReadSession = z.strictObject({ seq: z.int().min(0) })
export const Login = z.strictObject({ code: z.string().min(1), name: z.string().max(100).optional() })
export const PutAgent = z.strictObject({
  definition: z.record(z.string(), z.unknown()),
  prose: z
    .strictObject({ agent: z.string().optional(), soul: z.string().optional(), goal: z.string().optional() })
    .optional(),
  where: z.enum(['project', 'global']).optional(),
})
export const PatchSettings = z.strictObject({
  where: z.enum(['home', 'project', 'project-local']).default('home'),
  /** Dotted key to new value; null removes it. */
  changes: z.record(z.string(), z.unknown()),
})
export const SetTrust = z.strictObject({ trusted: z.boolean(), hash: z.string().optional() })

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      details: z.unknown().optional(),
    }),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

/** A receipt, and what came of it when the caller waited. */
export const Reply = z
  .strictObject({
    ...Receipt.shape,
    /** The turn that took this mail has ended. */
    ended: z.boolean(),
    end: z.string().optional(),
    reason: z.string().optional(),
    reply: z.string().optional(),
    toolCalls: z.array(z.strictObject({ name: z.string(), ok: z.boolean() })).optional(),
    usage: Tokens.optional(),
    ...Spent.partial().shape,
    durationMs: z.number().optional(),
    /** The parked calls that the turn waits for, with their inbox items; a turn that waits for money names no call. */
    waits: z
      .array(
        z.strictObject({
          inboxId: z.string().optional(),
          callId: z.string().optional(),
          tool: z.string().optional(),
          kind: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Reply' })
export type Reply = z.infer<typeof Reply>

export const ServerFile = z.strictObject({ url: z.string(), pid: z.int(), instance: z.string() })
export type ServerFile = z.infer<typeof ServerFile>
