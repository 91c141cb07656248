import { z } from 'zod'
import { readSession } from '../core/colleagues.ts'
import { speakerOf } from '../core/speakers.ts'
import { defineTool } from '../core/tools.ts'
import { addressed } from './addressing.ts'

export const sessionRead = defineTool({
  name: 'session_read',
  description: 'See what a session does and what it said last, without disturbing it: your children and your parent.',
  input: z.strictObject({ session: z.string().min(4).max(80).describe('Its handle, parent, or task:<id>') }),
  capabilities: ['agents'],
  grantedByName: true,
  parallel: true,
  idempotent: true,
  subjects: ({ session }) => addressed(session),
  addresses: ({ session }) => ({ to: session }),
  async run({ session }, context) {
    return { output: await readSession(context.core, await speakerOf(context), session) }
  },
})
