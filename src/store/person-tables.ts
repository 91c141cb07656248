import type { Delivery } from '../contract/triggers.ts'

/** One row, once there was something to say: whether the person is away, and whether everything is paused. */
export interface PresenceRow {
  id: string
  away_since: number | null
  away_until: number | null
  paused_since: number | null
}

/** What was sent of an item to one channel. */
export interface DeliveryRow {
  /** Unguessable: it is part of the link by which the item is answered. */
  id: string
  inbox_id: string
  channel: string
  state: Delivery
  attempts: number
  reason: string | null
  /** Until when its link answers. */
  expires_at: number
  used_at: number | null
  created_at: number
  updated_at: number
}
