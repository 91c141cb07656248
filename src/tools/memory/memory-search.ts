import { z } from 'zod'
import { HITS, MemoryScope, QUERY_CHARS } from '../../contract/memory.ts'
import { flagSeen, memoryScope, mustHaveMemory, searchMemory } from '../../core/memory/index.ts'
import { defineTool } from '../../core/permissions/index.ts'

export const memorySearch = defineTool({
  name: 'memory_search',
  description: 'Find sections of memory by their words. Answers path, heading and a piece of each.',
  input: z.strictObject({
    query: z.string().min(1).max(QUERY_CHARS).describe('Words'),
    scope: MemoryScope.optional().describe("Only this one; else your own and the project's"),
    limit: z.int().min(1).max(HITS).default(10).describe('Sections at most'),
  }),
  capabilities: ['memory.read'],
  rare: true,
  guidance: 'Before you say that you do not know something about this project or person, search memory for it.',
  parallel: true,
  idempotent: true,
  async run({ query, scope, limit }, { core, project, agent, sessionId, signal, hidden }) {
    const names = scope === undefined ? (['agent', 'project'] as const) : [scope]
    for (const name of names) mustHaveMemory(core, project, name)
    const scopes = names.map((name) => memoryScope(core, project, name, agent.name))
    const { items, notes } = await searchMemory(core, project, scopes, { query, limit, signal, hidden })
    const sources = [...new Set(items.map((hit) => `${hit.scope}/${hit.path}`))]
    await flagSeen(core, { sessionId, project, agent: agent.name }, sources)
    const found = items.map((hit) => `${hit.scope}/${hit.path}${hit.heading && ` › ${hit.heading}`}\n${hit.snippet}`)
    const lines = found.length === 0 ? ['[Nothing in memory has these words.]'] : found
    return { output: [...lines, ...notes.map((note) => `[${note}]`)].join('\n\n') }
  },
})
