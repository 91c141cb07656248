import { z } from 'zod'
import { Todo } from '../../contract/sessions.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { writeTodos } from '../../core/sessions/index.ts'

export const todoWrite = defineTool({
  name: 'todo_write',
  description: 'Write your whole todo list, which the person sees live.',
  input: z.strictObject({
    todos: z.array(Todo).max(200).describe('Every item, in order'),
  }),
  capabilities: ['todos'],
  forEveryone: true,
  guidance: 'for work of several steps; one item in_progress at a time.',
  idempotent: true,
  async run({ todos }, { core, sessionId, callId }) {
    await writeTodos(core, sessionId, callId, todos)
    const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length
    return { output: `The list has ${todos.length} items, ${open} open.` }
  },
})
