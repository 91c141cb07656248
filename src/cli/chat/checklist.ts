import type { Todo } from '../../contract/sessions.ts'
import { cut } from './cells.ts'
import { dim, style } from './style.ts'

const SHOWN = 8

const marks: Record<Todo['status'], string> = { pending: '☐', in_progress: '▸', completed: '☑', canceled: '☒' }

export const isOpen = ({ status }: Todo): boolean => status === 'pending' || status === 'in_progress'

/** The whole list, or of a long one the part around what is being done; nothing for an empty one. */
export function checklist(todos: readonly Todo[], width: number): string[] {
  const now = Math.max(0, todos.findIndex(isOpen))
  const from = Math.max(0, Math.min(now - 2, todos.length - SHOWN))
  const shown = todos.slice(from, from + SHOWN)
  const rest = todos.length - shown.length
  const lines = shown.map((todo) => line(todo, width))
  return rest > 0 ? [...lines, dim(`  +${rest} more, ${todos.filter(isOpen).length} of ${todos.length} open`)] : lines
}

/** One line for a list that nobody works on now. */
export function checklistInShort(todos: readonly Todo[], width: number): string[] {
  const open = todos.filter(isOpen)
  const [next] = open
  return next ? [dim(cut(`  ☐ ${open.length} of ${todos.length} open · ${next.content}`, width))] : []
}

function line({ content, status }: Todo, width: number): string {
  const text = `${marks[status]} ${cut(content, width - 4)}`
  if (status === 'in_progress') return `  ${style('cyan', text)}`
  return `  ${status === 'pending' ? text : dim(text)}`
}
