import { isQuiet } from '../../contract/triggers.ts'
import { selectTurnMessages } from '../../store/messages.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { lastWords, snippetBefore } from '../sessions/index.ts'

/** A trigger found nothing to do: lists show what they showed, and to a person who had read all it is nothing new to read. */
export async function keepQuiet(tx: Tx, session: SessionRow, { id, cause }: TurnRow): Promise<void> {
  if (cause !== 'trigger' || session.mode !== 'chat' || !isQuiet(await lastWords(tx.db, session.id))) return
  const [first] = await selectTurnMessages(tx.db, session.id, id)
  if (first === undefined) return
  session.last_snippet = await snippetBefore(tx.db, session.id, first.seq)
  const hadRead = session.read_seq >= first.seq - 1
  if (hadRead) session.read_seq = session.next_seq - 1
  // Reading alone makes a session no newer.
  else session.updated_at = tx.now
  const changed = { lastSnippet: session.last_snippet, ...(hadRead && { readSeq: session.read_seq }) }
  tx.record('session.updated', aboutSession(session), { changed })
}
