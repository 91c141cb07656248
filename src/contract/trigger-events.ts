import { z } from 'zod'
import { Time, TriggerId } from './ids.ts'

/** What is recorded of triggers. */
export const triggerEvents = {
  'trigger.created': z.strictObject({ triggerId: TriggerId, name: z.string(), type: z.string() }),
  /** `changed` has the fields as they are now. */
  'trigger.changed': z.strictObject({ triggerId: TriggerId, changed: z.record(z.string(), z.unknown()) }),
  /** It acted: in time, or late (`caught_up`). */
  'trigger.fired': z.strictObject({
    triggerId: TriggerId,
    fireId: z.string(),
    outcome: z.enum(['fired', 'caught_up']),
    due: Time,
    result: z.record(z.string(), z.unknown()),
  }),
  /** Occurrences passed and nothing was done about them. */
  'trigger.missed': z.strictObject({ triggerId: TriggerId, due: Time, count: z.int(), reason: z.string() }),
  /** It did not act on an occurrence, for a reason; `coalesced` when another occurrence stands for it. */
  'trigger.skipped': z.strictObject({
    triggerId: TriggerId,
    due: Time,
    count: z.int(),
    outcome: z.enum(['skipped', 'coalesced']),
    reason: z.string(),
  }),
} as const
