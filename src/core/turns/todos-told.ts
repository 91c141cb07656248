import { shorten } from '../../lib/shorten.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTodos } from '../../store/todos.ts'
import type { Core } from '../base/index.ts'
import type { Section } from './prompt.ts'

export const TODOS = 'todos'

const SHOWN = 50
const CHARS = 300

/** After each compaction the session is told its list once more: the calls that wrote it may be summed up. */
export async function todosToTell({ store }: Core, session: SessionRow): Promise<Section[]> {
  if (session.compaction_count === 0) return []
  const todos = (await findTodos(store.read, session.id))?.todos ?? []
  if (todos.length === 0) return []
  const lines = todos.slice(0, SHOWN).map(({ content, status }) => `- ${shorten(content, CHARS)} (${status})`)
  const more = todos.length > SHOWN ? [`- and ${todos.length - SHOWN} more; todo_read shows them`] : []
  const text = ['Your to-do list, as it stands:', ...lines, ...more].join('\n')
  return [{ tag: TODOS, text, digest: `after compaction ${session.compaction_count}` }]
}
