import { soundSum } from './sums.ts'
import type { Db } from './tables.ts'

/** How many turns there were, and how many steps models made in them. */
export async function countTurns(db: Db): Promise<{ turns: number; steps: number }> {
  const row = await db
    .selectFrom('turns')
    .select(({ fn }) => [fn.countAll().as('turns'), soundSum('iterations').as('steps')])
    .executeTakeFirstOrThrow()
  return { turns: Number(row.turns), steps: Number(row.steps ?? 0) }
}
