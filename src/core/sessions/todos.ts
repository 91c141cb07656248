import type { SessionId } from '../../contract/ids.ts'
import type { Todo } from '../../contract/sessions.ts'
import type { Db } from '../../store/tables.ts'
import { findTodos, putTodos } from '../../store/todos.ts'
import { aboutSession, type Core, onSession } from '../base/index.ts'

/** Replaces the whole list. The same call again, after a crash, changes nothing. */
export async function writeTodos(
  core: Core,
  sessionId: SessionId,
  callId: string,
  todos: readonly Todo[],
): Promise<void> {
  await onSession(core, sessionId, 'todos.write', async (tx, session) => {
    if ((await findTodos(tx.db, sessionId))?.callId === callId) return
    await putTodos(tx.db, sessionId, callId, todos, tx.now)
    const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length
    tx.record('todo.changed', aboutSession(session), { open, total: todos.length })
  })
}

export async function readTodos(core: Core, sessionId: SessionId, db: Db = core.store.read): Promise<Todo[]> {
  return (await findTodos(db, sessionId))?.todos ?? []
}
