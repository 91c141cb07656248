import { isQuiet } from '../../contract/triggers.ts'
import { selectTurnMessages } from '../../store/messages.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { lastWords } from '../sessions/index.ts'

/** A trigger found nothing to do: to a person who had read all before, the turn is nothing new to read. */
export async function keepQuiet(tx: Tx, session: SessionRow, { id, cause }: TurnRow): Promise<void> {
  if (cause !== 'trigger' || session.mode !== 'chat' || !isQuiet(await lastWords(tx.db, session.id))) return
  const [first] = await selectTurnMessages(tx.db, session.id, id)
  if (first === undefined || session.read_seq < first.seq - 1) return
  session.read_seq = session.next_seq - 1
  tx.record('session.updated', aboutSession(session), { changed: { readSeq: session.read_seq } })
}
