import { z } from 'zod'

/** The system prompt of a session, by section. */
export const SessionPrompt = z.strictObject({
  text: z.string(),
  sections: z.array(z.strictObject({ tag: z.string(), text: z.string(), tokens: z.int() })),
  tokens: z.int(),
  /** true: the prompt that the model has. false: the one that the next turn would begin with. */
  frozen: z.boolean(),
})
export type SessionPrompt = z.infer<typeof SessionPrompt>

/** What fills the model's window, in estimated tokens. */
export const SessionContext = z.strictObject({
  model: z.string().nullable(),
  parts: z.array(z.strictObject({ part: z.string(), tokens: z.int() })),
  tokens: z.int(),
  /** What the vendor counted at the newest answer, unless the history was compacted since. */
  counted: z.int().optional(),
  /** What the next request is expected to have the model read. */
  next: z.int(),
  /** How many tokens the model reads at once, */
  window: z.int(),
  /** and false where nobody knows and that is a guess. */
  windowKnown: z.boolean(),
  /** From so many on the history is compacted before the next request; absent where it never is. */
  compactsAt: z.int().optional(),
  /** The messages up to this one are read as a summary. */
  summedTo: z.int(),
  compactions: z.int(),
})
export type SessionContext = z.infer<typeof SessionContext>
