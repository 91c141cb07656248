import { z } from 'zod'
import { Time } from './ids.ts'

/** A browser or a phone that holds a token of its own. */
export const Device = z.strictObject({ id: z.string(), name: z.string(), createdAt: Time }).meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

/** What a one-time code is exchanged for; the token is shown this once. */
export const DeviceToken = z.strictObject({ token: z.string(), device: Device })
export type DeviceToken = z.infer<typeof DeviceToken>

export const LoginCode = z.strictObject({ code: z.string(), url: z.string(), expiresAt: Time })
export type LoginCode = z.infer<typeof LoginCode>
