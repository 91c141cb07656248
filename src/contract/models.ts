import { z } from 'zod'
import { Time } from './ids.ts'

/** What can be named as `provider/model` in a project. */
export const Model = z
  .strictObject({
    name: z.string(),
    provider: z.string(),
    usable: z.boolean(),
    /** Why not, and what to do about it. */
    reason: z.string().optional(),
    contextWindow: z.number().optional(),
    /** In USD per million tokens; absent where nobody knows. */
    price: z.strictObject({ input: z.number(), output: z.number() }).optional(),
    isDefault: z.boolean().optional(),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof Model>

/** Credentials for one provider and whether they can be used; never a key. */
export const AccountState = z
  .strictObject({
    provider: z.string(),
    name: z.string(),
    usable: z.boolean(),
    /** Why not, or why it is not used now. */
    reason: z.string().optional(),
    /** Not used before this moment while another can be. */
    exhaustedUntil: Time.optional(),
    /** Its vendor fails or takes no more requests: since when, and when the next request is sent. */
    closedSince: Time.optional(),
    closedUntil: Time.optional(),
    /** Requests that wait for it. */
    waiting: z.int(),
  })
  .meta({ id: 'Account' })
export type AccountState = z.infer<typeof AccountState>

/** How many models the fetched prices are for, and where the prices came from. */
export const CatalogueUpdate = z.strictObject({ models: z.int(), from: z.string() })
export type CatalogueUpdate = z.infer<typeof CatalogueUpdate>
