import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { findListed } from '../../core/turns/index.ts'

export const toolSearch = defineTool({
  name: 'tool_search',
  description: 'Load tools that are known but not loaded.',
  input: z.strictObject({
    query: z.string().min(1).max(500).describe('Names, or words about what you need'),
  }),
  capabilities: [],
  forEveryone: true,
  parallel: true,
  idempotent: true,
  async run({ query }, { core, sessionId }) {
    const { found, more, loaded, listed } = await findListed(core, sessionId, query)
    const ready = loaded.map(({ tool }) => tool.name).join(', ')
    if (found.length === 0 && ready !== '') return { output: `Loaded already: ${ready}.` }
    if (found.length === 0)
      return { output: `None of the ${listed} tools that are not loaded fits. Try other words, or go on without.` }
    const tools = found.map(({ tool: { name, description, guidance } }) => ({
      name,
      description: description.slice(0, 300),
      ...(guidance && { guidance }),
    }))
    const note = more > 0 ? { note: `${more} more fit; use narrower words or a name to load one of those.` } : {}
    return { output: { loaded: tools, ...note }, loads: tools.map(({ name }) => name) }
  },
})
