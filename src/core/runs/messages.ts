import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Mail, Receipt } from '../../contract/mail.ts'
import type { WriteToRun } from '../../contract/runs.ts'
import { toMail } from '../../store/mail.ts'
import { mailOfRun, type PageOfRun } from '../../store/run-mail.ts'
import { findRun, isOpenRun } from '../../store/runs.ts'
import type { Db, RunRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { COORDINATOR, EVERYONE, memberAt, membersNamed, sendToAll } from '../mail/index.ts'
import { isOverAlready, noRun } from './state.ts'

/** A person writes to the coordinator, to a worker or to everyone; to the coordinator also when the run is over. */
export async function writeToRun(core: Core, id: RunId, { to, ...words }: WriteToRun): Promise<Receipt[]> {
  const run = await mustFind(core.store.read, id)
  if (to !== COORDINATOR && !isOpenRun(run)) throw isOverAlready(run)
  const found = await memberAt(core.store.read, run, to)
  if (found === undefined) {
    throw new AppError('address.unknown', `to: nobody in this run is called "${to.slice(0, 80)}".`, {
      hint: await membersNamed(core.store.read, run),
    })
  }
  const all = 'one' in found ? [found.one] : found.everyone
  const from = { kind: 'human' } as const
  return sendToAll(core, { from }, all, { ...words, interrupt: words.interrupt && to !== EVERYONE })
}

/** What was written in a run, to whomever and by whomever, the newest first. */
export async function messagesOfRun(
  db: Db,
  id: RunId,
  page: PageOfRun,
): Promise<{ items: Mail[]; nextCursor?: string }> {
  const rows = await mailOfRun(db, await mustFind(db, id), page)
  const last = rows.at(-1)
  const items = rows.map(toMail)
  return rows.length === page.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

async function mustFind(db: Db, id: RunId): Promise<RunRow> {
  const run = await findRun(db, id)
  if (run === undefined) throw noRun(id)
  return run
}
