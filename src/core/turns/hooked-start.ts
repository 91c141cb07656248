import { isReplay } from '../../contract/recordings.ts'
import { hasWaitingMail } from '../../store/mail.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import type { Hook } from '../config/index.ts'
import { type HookRun, hearAll, hookText, recordRuns } from '../hooks/index.ts'
import { hasStarted } from '../sessions/index.ts'
import { hooksIn, momentOf } from './hooked.ts'
import type { Turn } from './turn.ts'

/** The events for which the session has hooks. */
export const eventsOf = ({ setup }: Turn): Hook['event'][] =>
  isReplay(setup.model) ? [] : setup.hooks.map(({ event }) => event)

/** Runs the hooks of the session's start, once before its first turn; undefined where there is nothing to do. */
export async function startSession(turn: Turn, session: SessionRow): Promise<HookRun[] | undefined> {
  const hooks = hooksIn(turn, 'sessionStart')
  if (hooks.length === 0 || hasStarted(session) || session.signal !== null) return undefined
  if (session.turn_id === null && !(await hasWaitingMail(turn.core.store.read, session.id))) return undefined
  return hearAll(momentOf(turn), hooks, session.id, {}, turn.stop.signal)
}

/** What the hooks of the start have to say is a message of the system before the first one of the person. */
export async function writeStart(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  runs: readonly HookRun[],
): Promise<NewMessage[]> {
  await recordRuns(turn.core, tx, session, runs, { turnId: row.id })
  const text = hookText(runs)
  if (text === '') return []
  return [{ role: 'system', from: { kind: 'system' }, turnId: row.id, parts: [{ type: 'text', text }] }]
}
