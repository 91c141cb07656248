import type { SessionId } from '../../contract/ids.ts'
import type { Lineage } from '../../contract/inbox.ts'
import { shorten } from '../../lib/shorten.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'

/** More than any spawn depth that makes sense. */
const DEEP = 32
const LABEL_CHARS = 80

/** On whose behalf a session asks: the session at the top, those between, itself, and the task it works on. */
export async function lineageOf(db: Db, id: SessionId): Promise<Lineage[]> {
  const line: Lineage[] = []
  const own = await findSession(db, id)
  for (let at = own; at !== undefined && line.length < DEEP; at = await parentOf(db, at)) {
    const handle = await handleOf(db, at.project_id, at.id)
    line.unshift({ kind: 'session', id: at.id, label: `${at.agent} ${handle}`, agent: at.agent, handle })
  }
  const task = own?.task_id ? await findTask(db, own.task_id) : undefined
  return task === undefined || task.finished_at !== null
    ? line
    : [...line, { kind: 'task', id: task.id, label: firstLine(task.instruction) }]
}

const parentOf = async (db: Db, { parent_session_id: id }: SessionRow): Promise<SessionRow | undefined> =>
  id === null ? undefined : findSession(db, id)

const firstLine = (text: string): string => shorten(text.trim().split('\n', 1)[0]!, LABEL_CHARS)
