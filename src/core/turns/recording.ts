import type { SessionId } from '../../contract/ids.ts'
import { callsOf, type Message } from '../../contract/messages.ts'
import { callName, type RecordedMessage, type RecordedSession, type RecordingLine } from '../../contract/recordings.ts'
import { iso } from '../../lib/clock.ts'
import { reachedBy } from '../../store/recordings.ts'
import { findSession } from '../../store/sessions.ts'
import { type Core, keyOf } from '../base/index.ts'
import { listMessages } from '../sessions/index.ts'
import { everyMessage } from './views.ts'

const SESSIONS = 500

/**
 * A conversation and every session that its calls made or asked, as their logs are now. The log is the recording: it is
 * durable, without secrets, and in the order of each session, whatever ran beside it.
 */
export async function* recordingOf(core: Core, root: SessionId): AsyncGenerator<RecordingLine> {
  yield { type: 'recording', version: 1, recordedAt: iso(core.clock.now()) }
  const numbers = new Map<SessionId, number>([[root, 0]])
  const makers = new Map<SessionId, RecordedSession['by']>()
  // Those that are reached are added while the loop goes on.
  for (const [id, session] of numbers) {
    const row = await findSession(core.store.read, id)
    if (row === undefined) continue
    const by = makers.get(id)
    yield { type: 'session', session, agent: row.agent, ...(by && { by }) }
    const names = new Map<string, string>()
    const read = async (page: { after: number; limit: number }) =>
      (await core.store.aside((db) => listMessages(core, id, page, db))).value.items
    for await (const message of everyMessage(read)) {
      for (const [at, { callId }] of callsOf(message.parts).entries()) names.set(callId, callName(message.seq, at))
      if (message.deletedAt === undefined) yield recorded(session, message)
    }
    for (const { sessionId, callId } of await reachedBy(core.store.read, id, keyOf(''))) {
      const call = names.get(callId)
      if (call === undefined) continue
      const known = makers.get(sessionId)
      if (known?.session === session) known.calls.push(call)
      if (numbers.has(sessionId) || numbers.size >= SESSIONS) continue
      numbers.set(sessionId, numbers.size)
      makers.set(sessionId, { session, calls: [call] })
    }
  }
}

function recorded(session: number, { seq, role, parts, from }: Message): RecordedMessage {
  const who = from && { from: { kind: from.kind, ...(from.agent !== undefined && { agent: from.agent }) } }
  return { type: 'message', session, seq, role, parts: parts.map(withoutMetadata), ...who }
}

/** What vendors sign is of no use to anybody else. */
function withoutMetadata(part: Message['parts'][number]): Message['parts'][number] {
  if (!('providerMetadata' in part)) return part
  const { providerMetadata: _, ...rest } = part
  return rest
}
