import { z } from 'zod'
import { listReadable } from '../core/colleagues.ts'
import { speakerOf } from '../core/speakers.ts'
import { defineTool } from '../core/tools.ts'

export const sessionList = defineTool({
  name: 'session_list',
  description: 'List the sessions you can see: your parent and your children, with what they are doing.',
  input: z.strictObject({}),
  capabilities: ['agents'],
  grantedByName: true,
  parallel: true,
  idempotent: true,
  async run(_input, context) {
    return { output: { sessions: await listReadable(context.core, await speakerOf(context)) } }
  },
})
