import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { SessionContext } from '../../../../src/contract/session-parts.ts'
import type { Session, Todo } from '../../../../src/contract/sessions.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { money, tokens } from '../../parts/figures.tsx'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { changeOf } from '../../state/change.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import type { Log } from '../../state/log.ts'
import { useSessions } from '../../state/sessions.ts'
import { standingOfSession, standings } from '../../state/standing.ts'
import { CloseDetails } from './close-details.tsx'
import type { Details } from './details.ts'

/** Beside a conversation: what it plans, who works on it, what it changed, what fills its window, what it cost. */
export function Panel({
  session,
  log,
  details,
}: {
  session: Session
  log: Log | undefined
  details: Details
}): ReactNode {
  return (
    <aside className={`panel talk${details.over ? ' over' : ''}`} aria-label="Details">
      {details.over && <CloseDetails details={details} />}
      <Todos session={session.id} />
      <Team session={session} />
      {log && <Changed messages={log.messages} />}
      <Context session={session} />
      <Spent session={session} log={log} />
    </aside>
  )
}

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

function Todos({ session }: { session: string }): ReactNode {
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

const MEMBERS = 30

/** The members of its run, or the sessions that it made. */
function Team({ session }: { session: Session }): ReactNode {
  const known = useSessions().value ?? []
  const asking = askers(useInbox().value)
  const team =
    session.runId === undefined
      ? known.filter(({ parentSessionId }) => parentSessionId === session.id)
      : known.filter(({ runId }) => runId === session.runId)
  if (team.length === 0) return null
  const order = team.toSorted((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))
  const cost = team.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return (
    <section className="sec">
      <h2 className="sec-h">
        {session.runId === undefined ? 'Made by it' : 'Team'}
        <span className="right num">{money(cost)}</span>
      </h2>
      {order.slice(0, MEMBERS).map((one) => (
        <Link
          key={one.id}
          className="who"
          {...(one.runId !== undefined && one.worker !== undefined
            ? { to: '/runs/$run/workers/$worker', params: { run: one.runId, worker: one.worker } }
            : { to: '/sessions/$session', params: { session: one.id } })}
        >
          <Glyph standing={standingOfSession(one, asking)} />
          <span className={`cut grow${one.id === session.id ? ' med' : ''}`}>{one.worker ?? one.agent}</span>
          <span className="mute small num">{money(one.costUsd, one.unpricedTokens)}</span>
        </Link>
      ))}
    </section>
  )
}

const FILES = 12

/** The files that its calls changed, as far as the log is loaded. */
function Changed({ messages }: { messages: Log['messages'] }): ReactNode {
  const files = useMemo(() => changedIn(messages), [messages])
  if (files.length === 0) return null
  return (
    <section className="sec">
      <h2 className="sec-h">
        Changed files
        <span className="right num">{files.length}</span>
      </h2>
      {files.slice(0, FILES).map(({ path, added, removed }) => (
        <div key={path} className="tool" title={path}>
          <Icon name="file" />
          <span className="what cut">{path}</span>
          <span className="ms">
            {added > 0 && <span className="plus">+{added} </span>}
            {removed > 0 && <span className="minus">−{removed}</span>}
          </span>
        </div>
      ))}
    </section>
  )
}

function changedIn(messages: Log['messages']): { path: string; added: number; removed: number }[] {
  const failed = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' && part.error ? [part.callId] : [])),
    ),
  )
  const files = new Map<string, { path: string; added: number; removed: number }>()
  for (const { parts } of messages)
    for (const part of parts) {
      const change = part.type === 'tool-call' && !failed.has(part.callId) && changeOf(part.name, part.input)
      if (!change) continue
      const before = files.get(change.path) ?? { path: change.path, added: 0, removed: 0 }
      files.set(change.path, {
        path: change.path,
        added: before.added + change.added,
        removed: before.removed + change.removed,
      })
    }
  return [...files.values()].toReversed()
}

const contextOf = (id: string): Resource<SessionContext> => ({
  key: `context ${id}`,
  read: () => server.snapshot('GET /api/sessions/{ref}/context', { params: { ref: id } }),
  interest: { session: id, types: ['turn.ended', 'session.compacted', 'session.cleared'] },
  fold: () => stale,
})

const PARTS = 4

function Context({ session }: { session: Session }): ReactNode {
  const context = useLive(useMemo(() => contextOf(session.id), [session.id])).value
  if (context === undefined || context.window === 0) return null
  const used = context.counted ?? context.tokens
  const parts = context.parts.filter((part) => part.tokens > 0).toSorted((a, b) => b.tokens - a.tokens)
  return (
    <section className="sec">
      <h2 className="sec-h">
        Context
        <span className="right num">
          {tokens(used)} of {tokens(context.window)} · {Math.round((100 * used) / context.window)}%
        </span>
      </h2>
      <div className="window" aria-hidden="true">
        {parts.slice(0, PARTS).map(({ part, tokens: count }, at) => (
          <i key={part} style={{ width: `${(100 * count) / context.window}%`, background: `var(--chart-${at + 1})` }} />
        ))}
      </div>
      <dl className="kv">
        {parts.slice(0, PARTS).map(({ part, tokens: count }, at) => (
          <div key={part}>
            <dt>
              <i className="sw" style={{ background: `var(--chart-${at + 1})` }} />
              {part}
            </dt>
            <dd>{tokens(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Spent({ session, log }: { session: Session; log: Log | undefined }): ReactNode {
  const { messageCount, costUsd, totalCostUsd, unpricedTokens, tokens: used } = session
  return (
    <section className="sec">
      <h2 className="sec-h">This conversation</h2>
      <dl className="kv">
        <div>
          <dt>
            {messageCount} messages
            {session.compactionCount > 0 && `, compacted ${session.compactionCount} times`}
          </dt>
          <dd>{money(costUsd, unpricedTokens)}</dd>
        </div>
        <div>
          <dt>with what it made</dt>
          <dd>{money(totalCostUsd, unpricedTokens)}</dd>
        </div>
        {used.input > 0 && (
          <div>
            <dt>read from cache</dt>
            <dd>{Math.round((100 * used.cached) / used.input)}%</dd>
          </div>
        )}
        {log && log.waiting.length > 0 && (
          <div>
            <dt>mail that waits</dt>
            <dd>{log.waiting.length}</dd>
          </div>
        )}
      </dl>
    </section>
  )
}
