import { moveToArchive } from '../../lib/files/archive.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { boardTables, endedRuns, removeRun, rowsOfRun } from '../../store/retention-runs.ts'
import type { RunRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { allOrNone, archiveFolder, aside, lineOf, monthly } from './archive.ts'

const BATCH = 50

/** Moves runs that ended before then into the archive, each with its whole board. */
export async function archiveRuns(core: Core, before: number): Promise<number> {
  let removed = 0
  for (;;) {
    const found = await aside(core, (db) => endedRuns(db, before, BATCH))
    let moved = 0
    for (const run of found) {
      const what = { name: monthly('runs', run.ended_at!), key: `runs ${run.id}`, lines: linesOf(core, run) }
      const gone = await moveToArchive(archiveFolder(core), what, () => {
        crashPoint('retention.archived')
        return allOrNone(core, 'retention.runs', 1, (db) => removeRun(db, run.id))
      })
      if (gone) moved += 1
    }
    removed += moved
    if (moved === 0) return removed
  }
}

async function* linesOf(core: Core, run: RunRow): AsyncIterable<string> {
  yield lineOf('runs', run)
  for (const table of boardTables)
    for (const row of await aside(core, (db) => rowsOfRun(db, table, run.id))) yield lineOf(table, row)
}
