import { z } from 'zod'

export const TaskStatus = z.enum(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled'])
export type TaskStatus = z.infer<typeof TaskStatus>

/** What a sub-agent hands back: a short account, its last message, or all of it. */
export const ReturnMode = z.enum(['summary', 'lastMessage', 'raw'])
export type ReturnMode = z.infer<typeof ReturnMode>

/** Who gets a slot first; among equals the older one. */
export const TaskPriority = z.enum(['high', 'normal', 'low'])
export type TaskPriority = z.infer<typeof TaskPriority>
