import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { readTodos } from '../../core/sessions/index.ts'

export const todoRead = defineTool({
  name: 'todo_read',
  description: 'Read your todo list.',
  input: z.strictObject({}),
  capabilities: ['todos'],
  forEveryone: true,
  rare: true,
  parallel: true,
  idempotent: true,
  async run(_, { core, sessionId }) {
    return { output: { todos: await readTodos(core, sessionId) } }
  },
})
