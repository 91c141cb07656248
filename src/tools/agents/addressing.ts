import { z } from 'zod'
import type { Subject } from '../../core/base/index.ts'

export const to = z.string().min(1).max(200).describe('An agent, a handle like 6fe8, parent, human or task:<id>')

export const which = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Of the agent: latest (the default), create, or a handle')

/** The texts that rules are compared with; a handle becomes `session:<handle>`. */
export const addressed = (to: string, session?: string): Subject[] =>
  [to, session]
    .filter((word) => word !== undefined && word !== 'latest' && word !== 'create')
    .map((word) => ({ text: isHandle.test(word!) ? `session:${word!.toLowerCase()}` : word! }))

const isHandle = /^[0-9a-f-]{4,}$/i
