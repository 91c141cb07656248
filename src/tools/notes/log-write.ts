import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { writeLog } from '../../core/sessions/index.ts'

export const logWrite = defineTool({
  name: 'log_write',
  description: 'Leave a note in the record for people: progress, a finding, something odd.',
  input: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('How much it matters'),
    message: z.string().min(1).max(4000).describe('One or two sentences'),
    metadata: z.record(z.string().max(100), z.unknown()).optional().describe('Values that belong to it'),
  }),
  capabilities: ['log'],
  rare: true,
  idempotent: true,
  async run({ level, message, metadata }, { core, sessionId, project, callId }) {
    await writeLog(core, { sessionId, project }, { level, message, ...(metadata && { metadata }) }, callId)
    return { output: 'Noted.' }
  },
})
