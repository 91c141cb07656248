import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { cancelTriggerAs } from '../../core/triggers/index.ts'

export const cancelTrigger = defineTool({
  name: 'cancel_trigger',
  description: 'Cancel something that you have scheduled.',
  input: z.strictObject({ triggerId: z.string().min(1).max(80).describe('As schedule and list_triggers return it') }),
  capabilities: ['triggers'],
  rare: true,
  idempotent: true,
  async run({ triggerId }, { core, sessionId }) {
    await cancelTriggerAs(core, sessionId, triggerId)
    return { output: 'It is canceled.' }
  },
})
