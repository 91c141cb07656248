import { z } from 'zod'
import { Tokens } from './messages.ts'

/** What something cost: a session, a turn, a task. */
export const Spent = z.strictObject({
  /** Its own, as far as prices are known. */
  costUsd: z.number(),
  /** With what its children cost. */
  totalCostUsd: z.number(),
  /** Tokens of it and its children whose price nobody knows. Above 0 the costs are "at least", never the whole. */
  unpricedTokens: z.int(),
})
export type Spent = z.infer<typeof Spent>

export const CostBy = z.enum(['agent', 'model', 'day', 'run'])
export type CostBy = z.infer<typeof CostBy>

/** What was spent on one agent, model, day or run; every request counts once, also one that failed. */
export const Cost = z
  .strictObject({
    key: z.string(),
    /** The title of a run, whose key is its id; what belongs to none has an empty key. */
    title: z.string().optional(),
    /** Answers that are in a log, or were until it was cleared. */
    messages: z.int(),
    tokens: Tokens,
    /** The cost of what has a known price; with `unpricedTokens` above 0 it is not the whole cost. */
    costUsd: z.number(),
    /** Input and output tokens whose price is not known. */
    unpricedTokens: z.int(),
  })
  .meta({ id: 'Cost' })
export type Cost = z.infer<typeof Cost>

/** A limit in money, and how far it is used. */
const Budget = z
  .strictObject({
    id: z.string(),
    /** What it bounds, in words. */
    name: z.string(),
    limitUsd: z.number(),
    spentUsd: z.number(),
    /** What requests in flight may cost at most. */
    reservedUsd: z.number(),
    leftUsd: z.number(),
    /** How many turns wait for it. */
    waiting: z.int(),
    /** The question whether it is raised. */
    inboxId: z.string().optional(),
  })
  .meta({ id: 'Budget' })

export const Budgets = z.strictObject({
  items: z.array(Budget),
  /** What the settings say; absent where nobody has decided. */
  dailyCostUsd: z.union([z.number(), z.literal('none')]).optional(),
  /** Nobody has decided, and the named agent costs money: ask the person, and write the answer to the settings of home. */
  askDaily: z.boolean(),
})
export type Budgets = z.infer<typeof Budgets>
