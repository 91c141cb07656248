import type { SessionRow } from '../../store/tables.ts'

/** A sub-agent or a tick is over once its work is done. The session of a task only closes then: mail reopens it. */
export const isForOnce = ({ mode }: Pick<SessionRow, 'mode'>): boolean => mode === 'subagent' || mode === 'daemon'

/** Nobody can write to the session any more. */
export const isOver = (session: Pick<SessionRow, 'mode' | 'status'>): boolean =>
  isForOnce(session) && session.status === 'closed'
