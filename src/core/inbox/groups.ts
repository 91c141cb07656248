import { findGrouped, repeatInbox } from '../../store/inbox.ts'
import type { InboxRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'

/** A notice whose group is open is told with it: the row has the newest words and how often it was told. */
export async function tellAgain(tx: Tx, about: Parameters<Tx['record']>[1], row: InboxRow): Promise<boolean> {
  if (row.grouped === null) return false
  const open = await findGrouped(tx.db, row.project_id, row.grouped)
  if (open === undefined) return false
  const told = await repeatInbox(tx.db, { ...row, body: withEarlier(row, open), grouped: row.grouped })
  if (told === undefined) return false
  tx.record('inbox.repeated', about, { inboxId: told.id, times: told.times, title: row.title })
  return true
}

const EARLIER = '\n\nBefore that:\n'
const SHOWN = 9

/** The newest words, and the titles of some before. */
function withEarlier({ body }: InboxRow, open: InboxRow): string {
  const [, before = ''] = open.body.split(EARLIER)
  const lines = [`- ${open.title}`, ...before.split('\n').filter(Boolean)]
  return `${body}${EARLIER}${lines.slice(0, SHOWN).join('\n')}`
}
