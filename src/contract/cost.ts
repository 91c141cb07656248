import { z } from 'zod'
import { Tokens } from './messages.ts'

export const CostBy = z.enum(['agent', 'model', 'day'])
export type CostBy = z.infer<typeof CostBy>

/** What was spent on one agent, model or day. */
export const Cost = z.strictObject({
  key: z.string(),
  messages: z.int(),
  tokens: Tokens,
  /** Of what has a known price; with `unpricedTokens` above 0 it is not all. */
  costUsd: z.number(),
  /** Input and output tokens whose price is not known. */
  unpricedTokens: z.int(),
})
export type Cost = z.infer<typeof Cost>
