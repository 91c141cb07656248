import type { SessionId } from '../../contract/ids.ts'
import { moveToArchive, settleArchive } from '../../lib/files/archive.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import {
  type ArchivedTable,
  archivedOf,
  countEvents,
  deletedSessions,
  emptySession,
  endedTasks,
  firstSessionBeyond,
  firstTaskBeyond,
  hasAny,
  isResting,
  oldestEvents,
  removeBudgets,
  removeEvents,
  removeTasks,
  removeToldSubscriptions,
  restingSessions,
  rowsOfSession,
  subscriptionsTo,
} from '../../store/retention.ts'
import { endedRuns } from '../../store/retention-runs.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { type Core, onSession, transact } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { erase } from '../sessions/index.ts'
import { allOrNone, archiveFolder, aside, lineOf, monthly } from './archive.ts'
import { archiveRuns } from './archive-runs.ts'
import { makeBackup } from './backups.ts'

const DAY = 24 * 60 * 60_000
/** Who was told of a task's end is known for so long. */
const TOLD_MS = 7 * DAY
/** A session that a person deleted can be brought back from a backup only after this time. */
const DELETED_MS = 7 * DAY
/** A budget that nothing counts against any more is known for so long. */
const BUDGETS_MS = 90 * DAY
/** How many of each are looked for at once, and how many rows of one session are read at once. */
const BATCH = 200
const EVENTS = 2000
const PAGE = 500

interface Removed {
  readonly sessions: number
  readonly runs: number
  readonly tasks: number
  readonly events: number
}

/** Moves what is older or more than `storage.retention` keeps into the archive, after a backup if there is any of it. */
export async function keepHouse(core: Core): Promise<Removed> {
  await settleArchive(archiveFolder(core), async (key) => {
    const [kind = '', id = ''] = key.split(' ')
    return !(await hasAny(core.store.read, kind as 'sessions', id))
  })
  const { settings } = await effectiveSettings(core, core.project)
  const { sessions, tasks, events } = settings.storage.retention
  const now = core.clock.now()
  const oldest = (days: number, beyond: number | undefined): number =>
    Math.max(now - days * DAY, beyond === undefined ? 0 : beyond + 1)
  const bounds = await aside(core, async (db) => ({
    sessions: oldest(sessions.maxAgeDays, await firstSessionBeyond(db, sessions.maxCount)),
    tasks: oldest(tasks.maxAgeDays, await firstTaskBeyond(db, tasks.maxCount)),
    events: { before: now - events.maxAgeDays * DAY, spare: (await countEvents(db)) - events.maxCount },
  }))
  // Where the database has backups of its own, the archive alone keeps what is removed.
  if (core.store.backup !== undefined && (await hasOld(core, bounds))) await makeBackup(core)
  await transact(core, 'retention.told', async (tx) => {
    await removeToldSubscriptions(tx.db, now - TOLD_MS)
    await removeBudgets(tx.db, now - BUDGETS_MS)
  })
  const removed = {
    tasks: await archiveTasks(core, bounds.tasks),
    // A run goes with the conversations of those who worked on it.
    runs: await archiveRuns(core, bounds.sessions),
    sessions: await archiveSessions(core, bounds.sessions),
    events: await archiveEvents(core, bounds.events),
  }
  await emptyDeleted(core, now - DELETED_MS)
  if (Object.values(removed).some((count) => count > 0)) core.log('info', 'old rows were archived', removed)
  return removed
}

interface Bounds {
  readonly sessions: number
  readonly tasks: number
  readonly events: { readonly before: number; readonly spare: number }
}

const hasOld = (core: Core, { sessions, tasks, events }: Bounds): Promise<boolean> =>
  aside(core, async (db) => {
    if ((await restingSessions(db, sessions, 1)).length > 0 || (await endedTasks(db, tasks, 1)).length > 0) return true
    if ((await endedRuns(db, sessions, 1)).length > 0) return true
    return events.spare > 0 || (await oldestEvents(db, 1)).some(({ at }) => at < events.before)
  })

async function archiveSessions(core: Core, before: number): Promise<number> {
  let removed = 0
  for (;;) {
    const found = await aside(core, (db) => restingSessions(db, before, BATCH))
    let moved = 0
    for (const session of found) {
      const name = monthly('sessions', session.updated_at)
      const what = { name, key: `sessions ${session.id}`, lines: linesOf(core, session) }
      if (await moveToArchive(archiveFolder(core), what, () => removeSession(core, session))) moved += 1
    }
    removed += moved
    if (moved === 0) return removed
  }
}

async function removeSession(core: Core, session: SessionRow): Promise<boolean> {
  crashPoint('retention.archived')
  const removed = await onSession(core, session.id, 'retention.session', async (tx, row) => {
    if (!(await isResting(tx.db, session))) return false
    await emptySession(tx.db, session.id)
    erase(tx, row, 'system')
    return true
  })
  core.histories.forget(session.id)
  crashPoint('retention.removed')
  return removed
}

async function* linesOf(core: Core, session: SessionRow): AsyncIterable<string> {
  yield lineOf('sessions', session)
  for (const table of Object.keys(archivedOf) as ArchivedTable[]) {
    for (let offset = 0; ; offset += PAGE) {
      const rows = await aside(core, (db) => rowsOfSession(db, table, session.id, { offset, limit: PAGE }))
      for (const row of rows) yield lineOf(table, row)
      if (rows.length < PAGE) break
    }
  }
}

async function archiveTasks(core: Core, before: number): Promise<number> {
  let removed = 0
  for (;;) {
    const found = await aside(core, (db) => endedTasks(db, before, BATCH))
    const first = found[0]
    if (first === undefined) return removed
    const month = monthly('tasks', first.finished_at!)
    const batch = found.filter((task) => monthly('tasks', task.finished_at!) === month)
    const ids = batch.map(({ id }) => id)
    const what = { name: month, key: `tasks ${first.id}`, lines: linesOfTasks(core, batch) }
    const gone = await moveToArchive(archiveFolder(core), what, async () => {
      crashPoint('retention.archived')
      return allOrNone(core, 'retention.tasks', ids.length, (db) => removeTasks(db, ids, before))
    })
    if (!gone) return removed
    removed += ids.length
  }
}

async function* linesOfTasks(core: Core, batch: readonly TaskRow[]): AsyncIterable<string> {
  for (const task of batch) yield lineOf('tasks', task)
  const ids = batch.map(({ id }) => id)
  for (const row of await aside(core, (db) => subscriptionsTo(db, ids))) yield lineOf('subscriptions', row)
}

async function archiveEvents(core: Core, { before, spare }: Bounds['events']): Promise<number> {
  let removed = 0
  for (;;) {
    const found = await aside(core, (db) => oldestEvents(db, EVENTS))
    const kept = found.findIndex(({ at }, index) => at >= before && removed + index >= spare)
    const old = kept === -1 ? found : found.slice(0, kept)
    const first = old[0]
    if (first === undefined) return removed
    const month = monthly('events', first.at)
    const batch = old.filter(({ at }) => monthly('events', at) === month)
    const ids = batch.map(({ id }) => id)
    const lines = (async function* () {
      for (const event of batch) yield lineOf('events', event)
    })()
    const gone = await moveToArchive(
      archiveFolder(core),
      { name: month, key: `events ${first.id}`, lines },
      async () => {
        crashPoint('retention.archived')
        return allOrNone(core, 'retention.events', ids.length, (db) => removeEvents(db, ids))
      },
    )
    if (!gone) return removed
    removed += ids.length
  }
}

/** What a person deleted is not archived. */
async function emptyDeleted(core: Core, before: number): Promise<void> {
  for (;;) {
    const found: SessionId[] = await aside(core, (db) => deletedSessions(db, before, BATCH))
    for (const id of found) await onSession(core, id, 'retention.deleted', (tx) => emptySession(tx.db, id))
    if (found.length < BATCH) return
  }
}
