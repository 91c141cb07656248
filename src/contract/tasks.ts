import { z } from 'zod'
import { Spent } from './cost.ts'
import { SessionId, TaskId, Time } from './ids.ts'

export const TaskStatus = z.enum(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled'])
export type TaskStatus = z.infer<typeof TaskStatus>

/** What a sub-agent hands back: a short account, its last message, or all of it. */
export const ReturnMode = z.enum(['summary', 'lastMessage', 'raw'])
export type ReturnMode = z.infer<typeof ReturnMode>

/** Who gets a slot first; among equals the older one. */
export const TaskPriority = z.enum(['high', 'normal', 'low'])
export type TaskPriority = z.infer<typeof TaskPriority>

export const Task = z.strictObject({
  id: TaskId,
  agent: z.string(),
  sessionId: SessionId,
  /** The handle of that session. */
  session: z.string(),
  project: z.string(),
  status: TaskStatus,
  parentSessionId: SessionId.optional(),
  /** An independent session: nobody is told how it ends. */
  topLevel: z.boolean(),
  instruction: z.string(),
  returnMode: ReturnMode,
  priority: TaskPriority,
  output: z.string().optional(),
  error: z.string().optional(),
  /** What the task cost; 0 until it has ended. */
  ...Spent.shape,
  createdAt: Time,
  startedAt: Time.optional(),
  finishedAt: Time.optional(),
  updatedAt: Time,
})
export type Task = z.infer<typeof Task>
