import { z } from 'zod'
import { Todo } from '../../contract/sessions.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { writeTodos } from '../../core/sessions/index.ts'

export const todoWrite = defineTool({
  name: 'todo_write',
  description: 'Write your todo list: the whole list each time. The person sees it live.',
  input: z.strictObject({
    todos: z.array(Todo).max(200).describe('Every item, in order; it replaces the list there is'),
  }),
  capabilities: ['todos'],
  forEveryone: true,
  guidance:
    'For work of several steps keep a todo list, with one item in_progress at a time, and mark items as you finish them.',
  idempotent: true,
  async run({ todos }, { core, sessionId, callId }) {
    await writeTodos(core, sessionId, callId, todos)
    const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length
    return { output: `The list has ${todos.length} items, ${open} open.` }
  },
})
