import { z } from 'zod'
import { InboxId, Time } from './ids.ts'
import { InboxKind } from './inbox.ts'
import { PresenceStatus } from './presence.ts'

/** What is recorded of the person: what waits for them, whether they are there, what they hold up. */
export const personEvents = {
  'inbox.added': z.strictObject({ inboxId: InboxId, kind: InboxKind, title: z.string() }),
  /** The same was told once more while its notice was open. */
  'inbox.repeated': z.strictObject({ inboxId: InboxId, times: z.int(), title: z.string() }),
  'inbox.answered': z.strictObject({ inboxId: InboxId, by: z.string() }),
  'inbox.dismissed': z.strictObject({ inboxId: InboxId, reason: z.string() }),
  'inbox.expired': z.strictObject({ inboxId: InboxId }),
  /** The person is away, until then if it is known, or available again. */
  'presence.changed': z.strictObject({ status: PresenceStatus, until: Time.optional() }),
  /** Nothing begins or goes on until a person lets everything go on. */
  'everything.paused': z.strictObject({ by: z.string() }),
  'everything.resumed': z.strictObject({ by: z.string() }),
}
