import type { SessionRow } from '../../store/tables.ts'

/** A sub-agent and a tick are over with their work. The session of a task is closed then, and may be written to again. */
export const isForOnce = ({ mode }: Pick<SessionRow, 'mode'>): boolean => mode === 'subagent' || mode === 'daemon'

/** Nobody writes to it any more. */
export const isOver = (session: Pick<SessionRow, 'mode' | 'status'>): boolean =>
  isForOnce(session) && session.status === 'closed'
