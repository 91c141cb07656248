import { type ReactNode, useMemo } from 'react'
import type { SessionContext } from '../../../../src/contract/session-parts.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { tokens } from '../../parts/figures.tsx'

const contextOf = (id: string): Resource<SessionContext> => ({
  key: `context ${id}`,
  read: () => server.snapshot('GET /api/sessions/{ref}/context', { params: { ref: id } }),
  interest: { session: id, types: ['turn.ended', 'session.compacted', 'session.cleared'] },
  fold: () => stale,
})

const PARTS = 4

const words: Readonly<Record<string, string>> = {
  'assistant text': 'what it wrote',
  'user text': 'what it was told',
  'tool-call': 'tool calls',
  'tool-result': 'tool results',
}

export function Context({ session }: { session: Session }): ReactNode {
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
              {words[part] ?? part}
            </dt>
            <dd>{tokens(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
