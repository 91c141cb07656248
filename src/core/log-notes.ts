import type { EventData } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { Core, Project } from './core.ts'
import { transact } from './transaction.ts'

/** A note for people, in the record. */
export async function writeLog(
  core: Core,
  about: { sessionId: SessionId; project: Project },
  note: EventData<'log'>,
  callId: string,
): Promise<void> {
  await transact(core, 'log.write', async (tx) => {
    tx.record(
      'log',
      { project: about.project.id, sessionId: about.sessionId },
      { ...note, metadata: { ...note.metadata, callId } },
    )
  })
}
