import { z } from 'zod'

/** ready: it may start. parked: it waits. resolved: its result is known. done: its result is in the log. */
export const CallState = z.enum(['ready', 'started', 'parked', 'resolved', 'done'])
export type CallState = z.infer<typeof CallState>

/** What a parked call waits for; `core/waits` says of each what that means. */
export const WaitKind = z.enum(['approval', 'changes', 'question', 'timer', 'ask', 'spawn', 'tasks', 'client'])
export type WaitKind = z.infer<typeof WaitKind>
