import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { money } from '../../parts/figures.tsx'
import type { Log } from '../../state/log.ts'

export function Spent({ session, log }: { session: Session; log: Log | undefined }): ReactNode {
  const { messageCount, costUsd, totalCostUsd, unpricedTokens, tokens: used } = session
  return (
    <section className="sec">
      <h2 className="sec-h">This conversation</h2>
      <dl className="kv">
        <div>
          <dt>
            {messageCount} {messageCount === 1 ? 'message' : 'messages'}
            {session.compactionCount > 0 &&
              `, compacted ${session.compactionCount === 1 ? 'once' : `${session.compactionCount} times`}`}
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
