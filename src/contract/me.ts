import { z } from 'zod'
import { Device } from './devices.ts'
import { Time } from './ids.ts'

/** Who asks: the person with the owner's token, or one of their devices. */
export const Me = z
  .strictObject({
    kind: z.enum(['owner', 'device']),
    /** Removing it signs it out. */
    device: Device.optional(),
    version: z.string(),
    /** Another one after each start of the server. */
    instance: z.string(),
  })
  .meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

/** What a layout may hold, in characters of JSON. */
export const LAYOUT_CHARS = 64 * 1024

/** How the person arranged the page; the page alone knows what is in it. The same on all devices. */
export const Layout = z.strictObject({
  value: z.record(z.string(), z.unknown()),
  /** Absent while nothing was kept. */
  updatedAt: Time.optional(),
})
export type Layout = z.infer<typeof Layout>

export const PutLayout = Layout.pick({ value: true })
