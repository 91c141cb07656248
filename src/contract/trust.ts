import { z } from 'zod'

/** A file of the project that acts, and how. */
export const TrustPart = z.strictObject({ file: z.string(), what: z.string() })
export type TrustPart = z.infer<typeof TrustPart>

/** What of a project acts, and whether the person consents to it as it is. */
export const TrustState = z
  .strictObject({
    trusted: z.boolean(),
    /** The hash of the acting parts, and of what narrows them, as they are now; hand it back to trust exactly what was shown. */
    hash: z.string(),
    acting: z.array(TrustPart),
    /** The parts that changed since the project was trusted last; because of them it is no longer trusted. */
    changed: z.array(TrustPart),
    /** The person said no to exactly these parts, and need not be asked again before they change. */
    declined: z.boolean(),
  })
  .meta({ id: 'TrustState' })
export type TrustState = z.infer<typeof TrustState>
