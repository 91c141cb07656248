import { AppError } from '../../contract/errors.ts'
import type { Presence, SetPresence } from '../../contract/presence.ts'
import { iso } from '../../lib/clock.ts'
import { findPresence, putPresence } from '../../store/presence.ts'
import type { Db, PresenceRow, TimerRow } from '../../store/tables.ts'
import { deleteTimers, moveTimer, takeTimer } from '../../store/timers.ts'
import { type Core, transact } from '../base/index.ts'

const TIMER = 'presence:person'

/** Whether the person is there, and whether everything stands still. */
export const presenceNow = async (core: Core, db: Db = core.store.read): Promise<Presence> =>
  toPresence(await findPresence(db), core.clock.now())

/** What whoever begins something has to know: nothing comes of it before everything goes on. */
export async function standstillHint(core: Core): Promise<{ readonly hint?: string }> {
  return (await findPresence(core.store.read)).paused_since === null ? {} : { hint: STANDS_STILL }
}

const STANDS_STILL = 'Everything is paused: it goes on once you let it, with "troupe resume --all".'

/** The person goes away, until a moment if they know it, or is back. */
export async function setPresence(core: Core, { status, until }: SetPresence): Promise<Presence> {
  await transact(core, 'presence.set', async (tx) => {
    const before = toPresence(await findPresence(tx.db), tx.now)
    const back = until === undefined ? null : Date.parse(until)
    if (status === 'available' && back !== null) throw onlyAway()
    if (back !== null && back <= tx.now) throw past(until!)
    const change = status === 'away' ? { away_since: tx.now, away_until: back } : { away_since: null, away_until: null }
    if (before.status === status && before.until === until) return
    await putPresence(tx.db, change)
    if (back === null) await deleteTimers(tx.db, [TIMER])
    else {
      await moveTimer(tx.db, {
        id: TIMER,
        due_at: back,
        kind: 'presence',
        ref: 'person',
        session_id: null,
        payload: '{}',
      })
      tx.alarm(back)
    }
    tx.record('presence.changed', { project: core.project.id }, { status, ...(until === undefined ? {} : { until }) })
  })
  return presenceNow(core)
}

/** The time is up for which the person said they are away. The row said so before; this tells those who listen. */
export const endAbsence = (core: Core, timer: TimerRow): Promise<void> =>
  transact(core, 'presence.end', async (tx) => {
    if (!(await takeTimer(tx.db, timer))) return
    await putPresence(tx.db, { away_since: null, away_until: null })
    tx.record('presence.changed', { project: core.project.id }, { status: 'available' })
  })

function toPresence({ away_since, away_until, paused_since }: PresenceRow, now: number): Presence {
  const paused = paused_since === null ? {} : { pausedSince: iso(paused_since) }
  if (away_since === null || (away_until !== null && away_until <= now)) return { status: 'available', ...paused }
  const until = away_until === null ? {} : { until: iso(away_until) }
  return { status: 'away', since: iso(away_since), ...until, ...paused }
}

const onlyAway = (): AppError =>
  new AppError('request.invalid', '"until" is for "away" only.', { hint: 'Leave it out to be available at once.' })

const past = (until: string): AppError =>
  new AppError('request.invalid', `"until" is ${until}, which is past.`, {
    hint: 'Name a later time, or leave it out to be away until you say otherwise.',
  })
