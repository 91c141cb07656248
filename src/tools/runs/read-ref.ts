import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { readRef } from '../../core/runs/index.ts'

const CHARS = 18_000

export const readRefTool = defineTool({
  name: 'read_ref',
  description: 'Read a published file of another node by the name that your node has for it.',
  input: z.strictObject({
    name: z.string().min(1).max(64),
    offset: z.int().min(0).default(0).describe('First character'),
  }),
  capabilities: ['files.read'],
  parallel: true,
  idempotent: true,
  async run({ name, offset }, { core, sessionId }) {
    const { path, text } = await readRef(core, sessionId, name)
    const shown = text.slice(offset, offset + CHARS)
    const next = offset + shown.length
    return { output: { path, text: shown, ...(next < text.length && { next: `offset ${next} of ${text.length}` }) } }
  },
})
