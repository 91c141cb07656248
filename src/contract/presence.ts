import { z } from 'zod'
import { Time } from './ids.ts'

export const PresenceStatus = z.enum(['available', 'away'])
export type PresenceStatus = z.infer<typeof PresenceStatus>

/** Whether the person is there, and whether everything stands still. */
export const Presence = z
  .strictObject({
    status: PresenceStatus,
    since: Time.optional(),
    /** When they are back, if they said so. */
    until: Time.optional(),
    /** Since when everything is paused; absent while it is not. */
    pausedSince: Time.optional(),
  })
  .meta({ id: 'Presence' })
export type Presence = z.infer<typeof Presence>

export const SetPresence = z.strictObject({ status: PresenceStatus, until: Time.optional() })
export type SetPresence = z.infer<typeof SetPresence>
