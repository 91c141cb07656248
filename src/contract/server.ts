import { z } from 'zod'
import { Problem } from './agents.ts'
import { Presence } from './presence.ts'

/** What runs here, of all projects or of one. */
export const ServerStatus = z
  .strictObject({
    version: z.string(),
    pid: z.int(),
    instance: z.string(),
    home: z.string(),
    project: z.string(),
    trusted: z.boolean(),
    problems: z.array(Problem),
    store: z.strictObject({
      kind: z.string(),
      durability: z.string().optional(),
      /** Since when and why nothing can be written; absent while all is well. */
      trouble: z.strictObject({ since: z.string(), message: z.string() }).optional(),
    }),
    engine: z.strictObject({ kind: z.string(), running: z.int() }),
    counts: z.record(z.string(), z.number()),
    /** Whether the person is there, and since when everything is paused, if it is. */
    presence: Presence,
    pausedRuns: z.int(),
    providers: z.array(z.string()),
    defaultModel: z.string(),
    /** What all requests since midnight cost, as far as prices are known; see `unpricedTokensToday`. */
    costTodayUsd: z.number(),
    unpricedTokensToday: z.int(),
    /** What requests in flight under a limit in money may cost at most. */
    reservedUsd: z.number(),
    /** The values in the database that this server could not read since its start; it serves the rest. */
    unreadable: z.array(z.strictObject({ table: z.string(), key: z.string(), column: z.string() })),
    sandbox: z.strictObject({
      mode: z.enum(['off', 'workspace', 'strict']),
      unavailable: z.boolean(),
      reason: z.string().optional(),
      limits: z.string(),
    }),
  })
  .meta({ id: 'Status' })
export type ServerStatus = z.infer<typeof ServerStatus>

export const Backup = z.strictObject({ file: z.string(), bytes: z.int() })
export type Backup = z.infer<typeof Backup>
