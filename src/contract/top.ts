import { z } from 'zod'
import { Spent } from './cost.ts'
import { SessionId, TaskId, Time } from './ids.ts'
import { Mode, SessionStatus } from './sessions.ts'
import { TaskStatus } from './tasks.ts'

/** A session that does something, waits for something, or was stopped in the middle of it. */
export const TopItem = z.strictObject({
  sessionId: SessionId,
  handle: z.string(),
  agent: z.string(),
  mode: Mode,
  project: z.string(),
  title: z.string(),
  status: SessionStatus,
  /** How deep it stands under those that made it, as far as they are in the list; it follows its maker. */
  depth: z.int(),
  taskId: TaskId.optional(),
  taskStatus: TaskStatus.optional(),
  /** What it does or waits for, in one line, and since when. */
  activity: z.string(),
  since: Time,
  /** Tokens that models wrote for it in the last minute, by the second; an answer counts when it is whole. */
  tokensPerSecond: z.number(),
  ...Spent.shape,
})
export type TopItem = z.infer<typeof TopItem>

/** All that is going on. */
export const Top = z
  .strictObject({
    items: z.array(TopItem),
    /** How many more there are than are listed. */
    more: z.int(),
    tasks: z.strictObject({ pending: z.int(), processing: z.int(), waiting: z.int() }),
    inbox: z.int(),
    tokensPerSecond: z.number(),
    costTodayUsd: z.number(),
    unpricedTokensToday: z.int(),
  })
  .meta({ id: 'Top' })
export type Top = z.infer<typeof Top>
