import type { CallRow, Db, SessionRow } from '../../store/tables.ts'
import { findTimer } from '../../store/why.ts'
import type { Core } from '../base/index.ts'
import { waitFor } from './kinds.ts'
import { type Named, nameOf, type Sight, type Waiting } from './words.ts'

/** What the parked ones among these calls wait for, as `why` says it. */
export async function explain(sight: Sight, calls: readonly CallRow[], owner: Named): Promise<Waiting[]> {
  const waits = await Promise.all(
    calls.map(async (call) =>
      waitFor(call)?.why(sight, call, { owner, until: (await findTimer(sight.db, call))?.due_at }),
    ),
  )
  return waits.filter((wait) => wait !== undefined)
}

/** What a session waits for, as the reason of its status. */
export async function waitingReason(
  core: Core,
  db: Db,
  session: SessionRow,
  calls: readonly CallRow[],
): Promise<string> {
  const sight = { core, db, project: session.project_id }
  const waits = await explain(sight, calls, await nameOf(sight, session))
  return `Waiting ${inOneSentence(waits)}.`
}

/** Two approvals of one tool are said once. */
export function inOneSentence(waits: readonly Waiting[]): string {
  const said = waits.map(({ says }) => says)
  return [...new Set(said)]
    .map((one) => [one, said.filter((other) => other === one).length] as const)
    .map(([one, times]) => (times === 1 ? one : `${one} (${times} times)`))
    .join(', and ')
}
