import { z } from 'zod'
import { MemoryPath, MemoryScope } from '../../contract/memory.ts'
import { flagSeen, MAIN, memoryTouches, ownScope, readMemory } from '../../core/memory/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { cutTo } from '../../lib/text.ts'

const TEXT_CHARS = 50_000

export const memoryRead = defineTool({
  name: 'memory_read',
  description: 'Read a file of memory, with the hash that a replace needs.',
  input: z.strictObject({
    path: MemoryPath.default(MAIN).describe('The file; "today" is the log of the day'),
    scope: MemoryScope.default('agent').describe('As in memory_write'),
  }),
  capabilities: ['memory.read'],
  rare: true,
  parallel: true,
  idempotent: true,
  maxOutputChars: TEXT_CHARS + 1000,
  files: (input, agent) => memoryTouches(input, agent, 'read'),
  async run({ path: given, scope: name }, { core, project, agent, sessionId }) {
    const scope = await ownScope(core, project, name, { agent: agent.name, sessionId })
    const { path, hash, bytes, text } = await readMemory(core, scope, given)
    if (scope.name !== 'worker') await flagSeen(core, { sessionId, project, agent: agent.name }, [`${name}/${path}`])
    const shown = cutTo(
      text,
      TEXT_CHARS,
      (missing) => `${missing} more characters; memory_search finds what is in them`,
    )
    return { output: `${scope.name}/${path}, ${bytes} bytes, hash ${hash}:\n${shown}` }
  },
})
