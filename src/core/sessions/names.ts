import { handleOf } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'

/** By which name people know a session: that of the worker it is, else that of its agent. */
export const calledAs = ({ worker, agent }: Pick<SessionRow, 'worker' | 'agent'>): string => worker ?? agent

/** The same with its handle. */
export const nameWithHandle = async (
  db: Db,
  session: Pick<SessionRow, 'worker' | 'agent' | 'project_id' | 'id'>,
): Promise<string> => `${calledAs(session)} ${await handleOf(db, session.project_id, session.id)}`
