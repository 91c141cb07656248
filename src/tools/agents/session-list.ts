import { z } from 'zod'
import { listReadable, speakerOf } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'

export const sessionList = defineTool({
  name: 'session_list',
  description: 'List the sessions you can see: your parent and your children, with what they are doing.',
  input: z.strictObject({}),
  capabilities: ['agents'],
  rare: true,
  grantedByName: true,
  parallel: true,
  idempotent: true,
  async run(_input, context) {
    return { output: { sessions: await listReadable(context.core, await speakerOf(context)) } }
  },
})
