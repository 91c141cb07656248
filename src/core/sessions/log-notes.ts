import type { EventData } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import { insertNoteOf } from '../../store/events.ts'
import { findSession } from '../../store/sessions.ts'
import { aboutSession, type Core, type Project, transact } from '../base/index.ts'

/** Writes a note for people into the record. The same call again, after a crash, writes no second one. */
export async function writeLog(
  core: Core,
  about: { sessionId: SessionId; project: Project },
  note: EventData<'log'>,
  callId: string,
): Promise<void> {
  await transact(core, 'log.write', async (tx) => {
    if (!(await insertNoteOf(tx.db, about.sessionId, callId))) return
    const session = await findSession(tx.db, about.sessionId)
    if (session === undefined) return
    tx.record('log', aboutSession(session), { ...note, metadata: { ...note.metadata, callId } })
    if (session.task_id !== null && note.level !== 'debug')
      tx.record('task.progress', aboutSession(session), { taskId: session.task_id, message: note.message })
  })
}
