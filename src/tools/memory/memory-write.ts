import { z } from 'zod'
import { MemoryPath, MemoryScope, WRITE_CHARS, WriteMode } from '../../contract/memory.ts'
import { MAIN, memoryTouches, ownScope, writeMemory } from '../../core/memory/index.ts'
import { defineTool } from '../../core/permissions/index.ts'

export const memoryWrite = defineTool({
  name: 'memory_write',
  description: 'Write what must outlast this session into a Markdown file of memory.',
  input: z.strictObject({
    content: z.string().max(WRITE_CHARS).describe('Markdown'),
    scope: MemoryScope.default('agent').describe(
      'agent: your own; project: for every agent here; user: for every project',
    ),
    path: MemoryPath.default(MAIN).describe('Such as "knowledge/build.md"; "today" is the log of the day'),
    mode: WriteMode.default('append').describe('replace with empty content removes the file'),
    hash: z.string().max(64).optional().describe('For replace: the one that memory_read showed'),
  }),
  capabilities: ['memory.write'],
  rare: 'keeps facts',
  guidance:
    'Note facts, decisions and preferences that later sessions need, in a line or two each; passing things go to "today". Never note secrets.',
  idempotent: true,
  subjects: ({ scope, path }) => [{ text: `${scope}:${path}`, byDefault: scope === 'user' ? 'ask' : 'allow' }],
  files: (input, agent) => memoryTouches(input, agent, 'write'),
  async run({ scope: name, ...change }, { core, project, agent, sessionId, callId }) {
    const scope = await ownScope(core, project, name, { agent: agent.name, sessionId })
    const { path, bytes, hash } = await writeMemory(core, project, scope, change, { id: callId, sessionId })
    if (hash === '') return { output: `${scope.name}/${path} is removed.` }
    return { output: `${scope.name}/${path} has ${bytes} bytes now, hash ${hash}.` }
  },
})
