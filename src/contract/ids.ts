import { z } from 'zod'

/** 32 lowercase hex digits; people and agents use its shortest unique prefix, the handle. */
export const SessionId = z.string().regex(/^[0-9a-f]{32}$/)
export type SessionId = z.infer<typeof SessionId>

export const MailId = z.string().startsWith('mail_')
export type MailId = z.infer<typeof MailId>

export const MessageId = z.string().startsWith('msg_')
export type MessageId = z.infer<typeof MessageId>

export const TurnId = z.string().startsWith('turn_')
export type TurnId = z.infer<typeof TurnId>

/** Our own id, unique everywhere; the vendor's id of the same call is kept beside it. */
export const CallId = z.string().startsWith('call_')
export type CallId = z.infer<typeof CallId>

export const InboxId = z.string().startsWith('inbox_')
export type InboxId = z.infer<typeof InboxId>

export const TaskId = z.string().startsWith('task_')
export type TaskId = z.infer<typeof TaskId>

export const RunId = z.string().startsWith('run_')
export type RunId = z.infer<typeof RunId>

export const NodeId = z.string().startsWith('node_')
export type NodeId = z.infer<typeof NodeId>

export const StageId = z.string().startsWith('stage_')
export type StageId = z.infer<typeof StageId>

export const TriggerId = z.string().startsWith('trigger_')
export type TriggerId = z.infer<typeof TriggerId>
/** A span of time. The moment at its end has to be a date that can be written. */
export const Seconds = z.int().positive().max(31_536_000, 'a year is the most, 31536000 seconds')

export const Time = z.iso.datetime()
export type Time = z.infer<typeof Time>
