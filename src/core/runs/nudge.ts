import { cutTo } from '../../lib/text.ts'
import { findRun, isOpenRun, updateRun } from '../../store/runs.ts'
import type { RunRow, SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, type Errand, onSession } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'
import { watchTime } from './time.ts'

/** The errand by which the coordinator is told to go on. */
export const nudgeOf = ({ id, session_id }: Pick<RunRow, 'id' | 'session_id'>): Errand => ({
  kind: 'nudge',
  ref: id,
  sessionId: session_id,
})

/** The mail of a nudge has this key: it is written once, and whoever looks for it knows whether it was. */
export const nudgeKey = ({ id, nudges }: Pick<RunRow, 'id' | 'nudges'>): string => `${id}:nudge:${nudges}`

/** The notice that it helped nothing, and the run waits for the person. */
export const waitsNotice = ({ id, nudges }: Pick<RunRow, 'id' | 'nudges'>): string => `inbox_${id}_${nudges}`

/** The coordinator is reminded that nothing goes on, or called to the next cycle. */
export const nudge = (core: Core, timer: SessionTimer): Promise<void> =>
  onSession(core, timer.session_id, 'run.nudge', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const run = await findRun(tx.db, timer.ref)
    if (run === undefined || !isOpenRun(run) || session.deleted_at !== null) return
    const content = textFor(run)
    const begun = { nudge_at: null, cycle_at: run.mode === 'infinite' ? tx.now : null }
    await updateRun(tx.db, run.id, begun)
    if (run.time_per_cycle === 1) await watchTime(tx, { ...run, ...begun })
    const chain = { id: newChainId(undefined), hops: 0 }
    const draft = { to: session.id, from: { kind: 'system' }, content, clientId: nudgeKey(run), chain } as const
    await post(core, tx, session, draft)
    tx.after(() => core.wake(session.id))
  })

const textFor = (run: RunRow): string =>
  run.mode === 'infinite' ? cycleText(run) : isOwnBeginning(run, 1) ? beginText(run) : REMINDER

const BY_CALL = 'call:'

/** What a run is known by that a call of its coordinator began. */
export const byCall = (callId: string): string => `${BY_CALL}${callId}`

/** Whether a coordinator began the run itself and has been called to it so often. */
export const isOwnBeginning = ({ client_id, nudges }: RunRow, times: 0 | 1): boolean =>
  nudges === times && client_id?.startsWith(BY_CALL) === true

const REMINDER =
  'Nothing goes on in the run: no node is open, and you ended your turn. If the goal is met, or cannot be met, call finish; else put the next node on the board, or ask the human.'

const GOAL_CHARS = 2000

const whole = (goal: string): string =>
  cutTo(goal, GOAL_CHARS, (missing) => `${missing} more characters are in _goal.md`)

const cycleText = ({ nudges, goal }: RunRow): string =>
  `Cycle ${nudges + 1} of the run begins. Go on towards the goal with what is new since the last cycle; what earlier cycles did is not done again (check_board counts it). When this cycle is done, call finish or end your turn: the next one is called. Only the human ends the run.\nThe goal: ${whole(goal)}`

const beginText = ({ id, goal }: RunRow): string =>
  `Your run ${id} has begun, and you have the tools to coordinate it.\nThe goal: ${whole(goal)}`
