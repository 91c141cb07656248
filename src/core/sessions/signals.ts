import type { SessionRow } from '../../store/tables.ts'

/** What a person asked of a turn, the weakest first. */
const signals: readonly (string | null)[] = ['resume', 'interrupt', 'pause', 'cancel', 'close']

/** For the next safe point; a weaker word never takes back a stronger one. */
export function raise(session: SessionRow, signal: 'interrupt' | 'pause' | 'cancel' | 'close'): void {
  if (raises(session, signal)) session.signal = signal
}

/** Whether it says more than what was asked before. */
export const raises = (session: SessionRow, signal: 'interrupt' | 'pause' | 'cancel' | 'close'): boolean =>
  strength(signal) > strength(session.signal)

const strength = (signal: string | null): number => signals.indexOf(signal)

/** A runner has it or is about to: what is asked of it must wait for the next safe point. */
export const isTaken = (session: SessionRow): boolean => session.status === 'running' || session.lease_owner !== null
