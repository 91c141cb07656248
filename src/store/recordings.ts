import type { SessionId } from '../contract/ids.ts'
import type { Db } from './tables.ts'

/** A session that a call of another made, or was the first of the other's calls to write to. */
interface Reached {
  readonly sessionId: SessionId
  readonly callId: string
}

/** Whom the calls of a session gave work or wrote to, the first first. `keyed` is how the mail of a call is marked. */
export async function reachedBy(db: Db, sessionId: SessionId, keyed: string): Promise<Reached[]> {
  const tasks = await db
    .selectFrom('tasks')
    .select(['session_id', 'call_id', 'created_at'])
    .where('owner_session_id', '=', sessionId)
    .where('call_id', 'is not', null)
    .orderBy('created_at')
    .execute()
  const mails = await db
    .selectFrom('mail')
    .select(['session_id', 'client_id', 'created_at'])
    .where('from_session_id', '=', sessionId)
    .where('client_id', 'is not', null)
    .orderBy('created_at')
    .execute()
  const nodes = await db
    .selectFrom('nodes')
    .innerJoin('tasks', 'tasks.node_id', 'nodes.id')
    .select(['tasks.session_id', 'nodes.call_id'])
    .where('nodes.made_by', '=', sessionId)
    .orderBy('tasks.created_at')
    .execute()
  return [
    ...tasks.map(({ session_id, call_id }) => ({ sessionId: session_id, callId: call_id ?? '' })),
    // Workers of a run: the calls of its members made the nodes that they do.
    ...nodes.map(({ session_id, call_id }) => ({ sessionId: session_id, callId: call_id ?? '' })),
    ...mails
      .filter(({ client_id }) => client_id?.startsWith(keyed))
      .map(({ session_id, client_id }) => ({ sessionId: session_id, callId: client_id?.slice(keyed.length) ?? '' })),
  ]
}
