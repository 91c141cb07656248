import { z } from 'zod'
import { readSession, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { addressed } from './addressing.ts'

export const sessionRead = defineTool({
  name: 'session_read',
  description: 'See what a session does and what it said last, without disturbing it.',
  input: z.strictObject({
    session: z.string().min(4).max(80).describe('Its handle, parent, or task:<id>'),
    offset: z.int().min(0).default(0).describe('The character of its last message to read from, when that is long'),
  }),
  capabilities: ['agents'],
  grantedByName: true,
  parallel: true,
  idempotent: true,
  subjects: ({ session }) => addressed(session),
  addresses: ({ session }) => ({ to: session }),
  hides: ({ byName }) => (byName ? [] : 'tool'),
  async run({ session, offset }, context) {
    return { output: await readSession(context.core, await speakerOf(context), session, offset) }
  },
})
