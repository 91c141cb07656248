import { z } from 'zod'

/** A file of the project that acts, and how. */
export const TrustPart = z.strictObject({ file: z.string(), what: z.string() })
export type TrustPart = z.infer<typeof TrustPart>

/** What of a project acts, and whether the person consents to it as it is. */
export const TrustView = z
  .strictObject({
    trusted: z.boolean(),
    hash: z.string(),
    acting: z.array(TrustPart),
    changed: z.array(TrustPart),
    declined: z.boolean(),
  })
  .meta({ id: 'TrustState' })
export type TrustView = z.infer<typeof TrustView>
