import { z } from 'zod'
import { defineTool } from '../../core/permissions/judge.ts'
import { readTodos } from '../../core/sessions/todos.ts'

export const todoRead = defineTool({
  name: 'todo_read',
  description: 'Read your todo list as it is now.',
  input: z.strictObject({}),
  capabilities: ['todos'],
  parallel: true,
  idempotent: true,
  async run(_, { core, sessionId }) {
    return { output: { todos: await readTodos(core, sessionId) } }
  },
})
