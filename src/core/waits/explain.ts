import type { CallRow } from '../../store/tables.ts'
import { findTimer } from '../../store/why.ts'
import { waitFor } from './kinds.ts'
import type { Named, Sight, Waiting } from './words.ts'

/** What the parked ones among these calls wait for, as `why` says it. */
export async function explain(sight: Sight, calls: readonly CallRow[], owner: Named): Promise<Waiting[]> {
  const waits = await Promise.all(
    calls.map(async (call) =>
      waitFor(call)?.why(sight, call, { owner, until: (await findTimer(sight.db, call))?.due_at }),
    ),
  )
  return waits.filter((wait) => wait !== undefined)
}
