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

export const CostBy = z.enum(['agent', 'model', 'day'])
export type CostBy = z.infer<typeof CostBy>

/** What was spent on one agent, model or day; every request counts once, also one that failed. */
export const Cost = z
  .strictObject({
    key: z.string(),
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
