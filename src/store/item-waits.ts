import { sql } from 'kysely'
import type { InboxId, SessionId } from '../contract/ids.ts'
import type { Db } from './tables.ts'

/** A session that goes on once an item is answered. */
export interface ItemWait {
  readonly inbox_id: InboxId | null
  readonly session_id: SessionId
}

/** Those whose turns need more money, by the items that ask for it; the first in line first. */
export const waitingForMoney = (db: Db, items: readonly InboxId[]): Promise<ItemWait[]> =>
  db
    .selectFrom('budgets')
    .innerJoin('turns', 'turns.budget_id', 'budgets.id')
    .innerJoin('sessions', 'sessions.turn_id', 'turns.id')
    .select(['budgets.inbox_id', 'turns.session_id'])
    .where('budgets.inbox_id', 'in', [...items])
    .where(sql<boolean>`turns.budget_id is not null`)
    .where('turns.budget_needs', '=', 'raise')
    .where('sessions.status', '=', 'waiting')
    .orderBy('turns.budget_since')
    .orderBy('turns.id')
    .execute()

/** The members of runs that stand at a limit, by the items that ask about it; each coordinator before its workers. */
export async function heldAtLimits(db: Db, items: readonly InboxId[]): Promise<ItemWait[]> {
  const runs = db.selectFrom('runs').where('runs.inbox_id', 'in', [...items])
  const workers = runs
    .innerJoin('workers', 'workers.run_id', 'runs.id')
    .select(['runs.inbox_id', 'workers.session_id'])
    .where('workers.retired_at', 'is', null)
    .where('workers.session_id', 'is not', null)
    .orderBy('workers.created_at')
    .orderBy('workers.name')
    .$narrowType<{ session_id: SessionId }>()
  return [...(await runs.select(['runs.inbox_id', 'runs.session_id']).execute()), ...(await workers.execute())]
}
