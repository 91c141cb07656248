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
})
export type SessionContext = z.infer<typeof SessionContext>
