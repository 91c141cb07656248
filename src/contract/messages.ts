import { z } from 'zod'
import { CallId, MailId, MessageId, SessionId, Time, TurnId } from './ids.ts'

const ProviderMetadata = z.record(z.string(), z.unknown())

const TextPart = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  providerMetadata: ProviderMetadata.optional(),
})
const ReasoningPart = z.strictObject({
  type: z.literal('reasoning'),
  text: z.string(),
  providerMetadata: ProviderMetadata.optional(),
})
export const FilePart = z.strictObject({
  type: z.literal('file'),
  mediaType: z.string(),
  name: z.string().optional(),
  /** base64 */
  data: z.string(),
})
export const ToolCallPart = z.strictObject({
  type: z.literal('tool-call'),
  callId: CallId,
  /** The id the vendor gave this call; sent back to it with the result. */
  vendorCallId: z.string(),
  name: z.string(),
  input: z.unknown(),
  providerMetadata: ProviderMetadata.optional(),
})
export const ToolResultPart = z.strictObject({
  type: z.literal('tool-result'),
  callId: CallId,
  vendorCallId: z.string(),
  name: z.string(),
  output: z.unknown(),
  error: z.boolean().optional(),
  /** Images and documents that the tool returned, shown to models that take them. */
  files: z.array(FilePart).optional(),
})
export const Part = z.discriminatedUnion('type', [TextPart, ReasoningPart, FilePart, ToolCallPart, ToolResultPart])
export type Part = z.infer<typeof Part>
export type FilePart = z.infer<typeof FilePart>
export type ToolCallPart = z.infer<typeof ToolCallPart>
export type ToolResultPart = z.infer<typeof ToolResultPart>

/** Who wrote it. The runtime sets this from columns, never from content. */
export const From = z.strictObject({
  kind: z.enum(['human', 'agent', 'trigger', 'system']),
  agent: z.string().optional(),
  handle: z.string().optional(),
  sessionId: SessionId.optional(),
  /** The sender waits for the answer. */
  asks: z.boolean().optional(),
})
export type From = z.infer<typeof From>

export const Tokens = z.strictObject({
  input: z.int(),
  output: z.int(),
  cached: z.int(),
  reasoning: z.int(),
})
export type Tokens = z.infer<typeof Tokens>
export const noTokens: Tokens = { input: 0, output: 0, cached: 0, reasoning: 0 }

export const Role = z.enum(['user', 'assistant', 'tool', 'system'])
export type Role = z.infer<typeof Role>

export const Message = z
  .strictObject({
    id: MessageId,
    /** Position in the session's log, counted from 1. */
    seq: z.int().positive(),
    role: Role,
    parts: z.array(Part),
    from: From.optional(),
    mailId: MailId.optional(),
    turnId: TurnId.optional(),
    model: z.string().optional(),
    tokens: Tokens.optional(),
    /** Absent although there are tokens: their price is not known. */
    costUsd: z.number().optional(),
    durationMs: z.number().optional(),
    interrupted: z.boolean().optional(),
    /** A limit on its length cut it; the agent's next message goes on with it. */
    cut: z.boolean().optional(),
    /** Edited or deleted by a person; a deleted one keeps its place with no parts. */
    editedAt: Time.optional(),
    deletedAt: Time.optional(),
    /** What it said before, the oldest first, and until when. For people: no model sees it. */
    replaced: z.array(z.strictObject({ parts: z.array(Part), at: Time })).optional(),
    createdAt: Time,
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('')

export const callsOf = (parts: readonly Part[]): ToolCallPart[] => parts.filter((part) => part.type === 'tool-call')
