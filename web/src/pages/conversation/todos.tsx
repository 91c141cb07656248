import { type ReactNode, useMemo } from 'react'
import type { Todo } from '../../../../src/contract/sessions.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Glyph } from '../../parts/icon.tsx'
import { standings } from '../../state/standing.ts'

const todosOf = (id: string): Resource<readonly Todo[]> => ({
  key: `todos ${id}`,
  async read() {
    const { value, seq } = await server.snapshot('GET /api/sessions/{ref}/todos', { params: { ref: id } })
    return { value: value.items, seq }
  },
  interest: { session: id, types: ['todo.changed'] },
  fold: () => stale,
})

const todoStandings = {
  pending: standings.pending,
  in_progress: standings.working,
  completed: standings.done,
  canceled: standings.canceled,
} as const

export function Todos({ session }: { session: string }): ReactNode {
  const todos = useLive(useMemo(() => todosOf(session), [session])).value ?? []
  if (todos.length === 0) return null
  const done = todos.filter(({ status }) => status === 'completed').length
  return (
    <section className="sec todo">
      <h2 className="sec-h">
        Todo
        <span className="right num">
          {done} of {todos.length}
        </span>
      </h2>
      <ul>
        {todos.map(({ content, status }, at) => (
          <li key={at} className={status === 'completed' || status === 'canceled' ? 'x' : undefined}>
            <Glyph standing={todoStandings[status]} />
            <span>{content}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
