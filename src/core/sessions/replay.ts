import { callName, isReplay, replayBelow } from '../../contract/recordings.ts'
import { findCall } from '../../store/calls.ts'
import type { Db, SessionRow } from '../../store/tables.ts'

/** What a replayed session makes is replayed as well: its model names the same recording, and the call by which it came. */
export async function modelBelow(
  db: Db,
  maker: Pick<SessionRow, 'id' | 'model'>,
  callId: string | undefined,
): Promise<string | undefined> {
  if (maker.model === null || !isReplay(maker.model)) return undefined
  const call = callId === undefined ? undefined : await findCall(db, callId)
  return replayBelow(maker.model, maker.id, call === undefined ? 'unknown' : callName(call.message_seq, call.position))
}
