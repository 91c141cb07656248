import type { SessionId } from '../contract/ids.ts'
import { Todo } from '../contract/sessions.ts'
import { readJson } from './drivers/unreadable.ts'
import type { Db } from './tables.ts'

export async function putTodos(
  db: Db,
  sessionId: SessionId,
  callId: string,
  todos: readonly Todo[],
  at: number,
): Promise<void> {
  const row = { session_id: sessionId, todos: JSON.stringify(todos), call_id: callId, updated_at: at }
  await db
    .insertInto('todos')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row))
    .execute()
}

export async function findTodos(db: Db, sessionId: SessionId): Promise<{ todos: Todo[]; callId: string } | undefined> {
  const row = await db.selectFrom('todos').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
  const place = { table: 'todos', key: sessionId, column: 'todos' }
  return row && { todos: readJson(place, row.todos, areTodos, []), callId: row.call_id }
}

const areTodos = (value: unknown): boolean => Todo.array().safeParse(value).success
