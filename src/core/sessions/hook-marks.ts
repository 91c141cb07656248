import type { HookEvent } from '../../contract/hooks.ts'
import type { SessionRow } from '../../store/tables.ts'
import { leaveErrand, type Tx } from '../base/index.ts'

/** Words in a session's row: whether the hooks of its start have run, and which hooks want to know of an end. */

const STARTED = 'started'
const ends = ['turnEnd', 'taskEnd'] as const satisfies HookEvent[]

const wordsOf = ({ hooks }: SessionRow): string[] => hooks?.split(' ') ?? []

export const hasStarted = (session: SessionRow): boolean => wordsOf(session).includes(STARTED)

/** Written when it has changed, by the runner that knows the hooks. */
export function markHooks(session: SessionRow, events: readonly HookEvent[], started: boolean): void {
  const words = [...(started || hasStarted(session) ? [STARTED] : []), ...ends.filter((end) => events.includes(end))]
  session.hooks = words.length > 0 ? words.join(' ') : null
}

/** Leaves it to an errand to tell the hooks that want to know. */
export async function tellHooks(tx: Tx, session: SessionRow, event: (typeof ends)[number], ref: string): Promise<void> {
  if (wordsOf(session).includes(event)) await leaveErrand(tx, { kind: 'hooks', ref, sessionId: session.id })
}
