import { handleEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'
import type { Message, Tokens } from '../contract/messages.ts'
import type { Session } from '../contract/sessions.ts'

/** The session after one more event. A client reads a session once and folds every later event of it. */
export function fold(session: Session, event: Event): Session {
  const { at } = event
  const next = handleEvent<Session>(
    {
      'session.status': ({ to, reason }) => {
        const { reason: _, closedAt, ...rest } = session
        return { ...rest, status: to, ...(reason && { reason }), ...(to === 'closed' && closedAt && { closedAt }) }
      },
      'session.closed': () => ({ ...session, closedAt: at }),
      'session.updated': ({ changed }) => updated(session, changed, at),
      'session.cleared': () => ({
        ...session,
        messageCount: 0,
        compactionCount: 0,
        lastSnippet: '',
        updatedAt: at,
      }),
      'session.compacted': () => ({ ...session, compactionCount: session.compactionCount + 1, updatedAt: at }),
      'message.appended': ({ role, snippet }) => ({
        ...session,
        messageCount: session.messageCount + 1,
        lastSnippet: snippet !== '' && role !== 'tool' ? snippet : session.lastSnippet,
        updatedAt: at,
      }),
      'message.changed': () => ({ ...session, updatedAt: at }),
      'mail.accepted': () => ({ ...session, updatedAt: at }),
    },
    event,
  )
  return foldSpending(next ?? session, event)
}

type Spending = Pick<Session, 'tokens' | 'costUsd' | 'totalCostUsd' | 'unpricedTokens'>

/** What a session has used after one more event: its own answers, requests that failed, and its children count. */
export function foldSpending<T extends Spending>(spending: T, event: Event): T {
  const spent = handleEvent<T>(
    {
      'message.appended': ({ tokens, costUsd }) => (tokens ? using(spending, tokens, costUsd) : spending),
      'model.settled': ({ tokens, costUsd }) => using(spending, tokens, costUsd),
      'session.charged': ({ costUsd, unpricedTokens }) => ({
        ...spending,
        totalCostUsd: spending.totalCostUsd + costUsd,
        unpricedTokens: spending.unpricedTokens + unpricedTokens,
      }),
    },
    event,
  )
  return spent ?? spending
}

/** A place in a session's log. The body of the message is fetched apart from it. */
interface LogPlace extends Pick<Message, 'id' | 'seq' | 'role'> {
  readonly state: 'whole' | 'edited' | 'deleted'
}

export const placeOf = ({ id, seq, role, deletedAt, editedAt }: Message): LogPlace => ({
  id,
  seq,
  role,
  state: deletedAt ? 'deleted' : editedAt ? 'edited' : 'whole',
})

/** The log of a session after one more event of it. */
export function foldLog(log: readonly LogPlace[], event: Event): readonly LogPlace[] {
  const next = handleEvent<readonly LogPlace[]>(
    {
      'session.cleared': () => [],
      'message.appended': ({ messageId, seq, role }) => [...log, { id: messageId, seq, role, state: 'whole' }],
      'message.changed': ({ messageId, change }) =>
        log.map((place) => (place.id === messageId ? { ...place, state: change } : place)),
    },
    event,
  )
  return next ?? log
}

/** Tokens without a cost have no known price. */
function using<T extends Spending>(spending: T, tokens: Tokens, costUsd: number | undefined): T {
  const { input, output, cached, reasoning } = spending.tokens
  return {
    ...spending,
    tokens: {
      input: input + tokens.input,
      output: output + tokens.output,
      cached: cached + tokens.cached,
      reasoning: reasoning + tokens.reasoning,
    },
    costUsd: spending.costUsd + (costUsd ?? 0),
    totalCostUsd: spending.totalCostUsd + (costUsd ?? 0),
    unpricedTokens: spending.unpricedTokens + (costUsd === undefined ? tokens.input + tokens.output : 0),
  }
}

/** Takes over the changed fields; null removes one. A new `readSeq` or `reason` is no update of the session. */
function updated(session: Session, { pinned, ...changed }: Record<string, unknown>, at: string): Session {
  const gone = Object.keys(changed).filter((field) => changed[field] === null)
  const fields = { ...session, ...changed }
  for (const field of gone) delete (fields as Record<string, unknown>)[field]
  if (pinned === false) delete fields.pinnedAt
  else if (pinned === true) fields.pinnedAt ??= at
  return 'readSeq' in changed || 'reason' in changed ? fields : { ...fields, updatedAt: at }
}
