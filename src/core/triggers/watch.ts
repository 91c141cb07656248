import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../contract/errors.ts'
import type { Event } from '../../contract/events.ts'
import type { TriggerId } from '../../contract/ids.ts'
import { typesLike, type When } from '../../contract/triggers.ts'
import { newId } from '../../lib/ids.ts'
import { findFireByOccasion } from '../../store/fires.ts'
import { findSession } from '../../store/sessions.ts'
import type { TriggerRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { eventTriggers, findTrigger, lockTrigger, updateTrigger, whenOf } from '../../store/triggers.ts'
import { type Core, latestSeq, type Project, readEvents, transact } from '../base/index.ts'
import { causesOf } from './cause.ts'
import { acting, projectHere, recordOutcome } from './fire.ts'
import { moveOn, recordSkipped } from './ledger.ts'
import { occurrenceOf, readyFor } from './prepare.ts'

const TRIGGERS = 1000
const PAGE = 100
/** How often a position is written down while nothing matches: what is read again after a crash is bounded by it. */
const KEEP_MS = 60_000

type OnEvent = Extract<When, { type: 'on_event' }>

/** How far a process has looked beyond the position in the row, and when it wrote that down. */
interface Ahead {
  readonly row: string
  readonly seen: string
  readonly kept: number
}

/** What a process has looked at beyond the positions in the rows; a process that begins knows nothing. */
export type Sightings = Map<TriggerId, Ahead>

/** Looks at the events that came since, for each trigger that waits for some. Says how many wait, and whether more is there. */
export async function watchEvents(core: Core, ahead: Sightings): Promise<{ waiting: number; more: boolean }> {
  const rows = await eventTriggers(core.store.read, TRIGGERS)
  let more = false
  for (const row of rows) {
    const when = whenOf(row)
    const project = await projectHere(core, row)
    if (when?.type !== 'on_event' || row.event_cursor === null || (project === undefined && !core.store.alone)) continue
    const full = await follow(core, ahead, row, when, project).catch((error: unknown) => {
      core.log('error', 'events could not be looked at', { trigger: row.id, error: String(error) })
      return false
    })
    more ||= full
  }
  return { waiting: rows.length, more }
}

/** One page. Where somebody else has moved the trigger on meanwhile, the rest is left to the next look. */
async function follow(
  core: Core,
  ahead: Sightings,
  row: TriggerRow,
  when: OnEvent,
  project: Project | undefined,
): Promise<boolean> {
  const known = ahead.get(row.id)
  const after = known?.row === row.event_cursor ? known.seen : row.event_cursor!
  const query = { after, types: typesLike(when.config.pattern), project: row.project_id, limit: PAGE }
  const page = await readEvents(core, query).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || !error.code.startsWith('events.')) throw error
    await startAnew(core, row, error.message)
  })
  if (!page) return true
  const found = await visible(
    core,
    row,
    page.items.filter(({ data }) => fits(data, when.config.filter ?? {})),
  )
  let at = row.event_cursor!
  for (const event of found) {
    if (!(await fire(core, row.id, { when, project, event, at }))) return false
    at = event.seq
  }
  const kept = known?.kept ?? core.clock.now()
  if (!page.full && core.clock.now() - kept < KEEP_MS) ahead.set(row.id, { row: at, seen: page.seq, kept })
  else {
    await keep(core, row.id, at, page.seq)
    ahead.set(row.id, { row: page.seq, seen: page.seq, kept: core.clock.now() })
  }
  return page.full
}

/** Everything in the filter is in the data. */
function fits(data: unknown, filter: unknown): boolean {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return isDeepStrictEqual(data, filter)
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(filter).every(([key, wanted]) => fits((data as Record<string, unknown>)[key], wanted))
}

/** A person sees everything; an agent what its own session, its children and the tasks it gave do. */
async function visible(
  core: Core,
  { owner_session_id: owner }: TriggerRow,
  events: readonly Event[],
): Promise<Event[]> {
  if (owner === null) return [...events]
  const own = await Promise.all(
    events.map(async ({ sessionId, taskId }) => {
      const session = sessionId === undefined ? undefined : await findSession(core.store.read, sessionId)
      const task = taskId === undefined ? undefined : await findTask(core.store.read, taskId)
      return sessionId === owner || session?.parent_session_id === owner || task?.owner_session_id === owner
    }),
  )
  return events.filter((_, index) => own[index])
}

interface Match {
  readonly when: OnEvent
  readonly project: Project | undefined
  readonly event: Event
  /** The position in the row, unless somebody has moved it. */
  readonly at: string
}

/** False when the trigger is no longer as it was. */
async function fire(core: Core, id: TriggerId, { when, project, event, at }: Match): Promise<boolean> {
  const row = await findTrigger(core.store.read, id)
  if (row?.status !== 'active' || row.event_cursor !== at) return false
  const cause = (await causesOf(core.store.read, [event])).get(event)
  const one = occurrenceOf(row, `event:${keyOf(event)}`, Date.parse(event.at), { event, cause })
  const { act } = await readyFor(core, { row, when, project, one })
  let went = false
  await acting(core, 'trigger.event', act, async (tx, run) => {
    const fresh = await lockTrigger(tx.db, id)
    if (fresh?.status !== 'active' || fresh.event_cursor !== at) return
    const before = await findFireByOccasion(tx.db, id, one.occasion)
    const outcome = before
      ? { acted: false, outcome: undefined }
      : await recordOutcome(tx, fresh, one, 'fired', await run())
    await moveOn(tx, fresh, { next: undefined, ...outcome, cursor: event.seq })
    went = true
  })
  return went
}

/** The position without the snapshot that a reader sees it in, which differs from reader to reader. */
const keyOf = ({ seq }: Event): string => seq.split('~')[0]!

const keep = (core: Core, id: TriggerId, at: string, seq: string): Promise<void> =>
  transact(core, 'trigger.cursor', async (tx) => {
    const fresh = await lockTrigger(tx.db, id)
    if (fresh?.event_cursor === at) await updateTrigger(tx.db, id, { event_cursor: seq })
  })

/** The events after the position are gone: nobody knows what was missed, and that is said. */
async function startAnew(core: Core, row: TriggerRow, why: string): Promise<void> {
  const cursor = await latestSeq(core)
  await transact(core, 'trigger.anew', async (tx) => {
    const fresh = await lockTrigger(tx.db, row.id)
    if (fresh?.status !== 'active' || fresh.event_cursor !== row.event_cursor) return
    const one = occurrenceOf(fresh, `gap:${newId('gap')}`, tx.now)
    await recordSkipped(tx, fresh, one, { skip: `Events were missed: ${why}`, tells: 'record' })
    await updateTrigger(tx.db, row.id, { event_cursor: cursor })
  })
}
