import { findRun, isOpenRun } from '../../store/runs.ts'
import type { RunRow, SessionTimer } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, type Errand, onSession } from '../base/index.ts'
import { newChainId, post } from '../mail/index.ts'

/** The errand by which the coordinator is told to go on. */
export const nudgeOf = ({ id, session_id }: Pick<RunRow, 'id' | 'session_id'>): Errand => ({
  kind: 'nudge',
  ref: id,
  sessionId: session_id,
})

/** The mail of a nudge has this key: it is written once, and whoever looks for it knows whether it was. */
export const nudgeKey = ({ id, nudges }: Pick<RunRow, 'id' | 'nudges'>): string => `${id}:nudge:${nudges}`

/** The coordinator is reminded that nothing goes on, or called to the next cycle. */
export const nudge = (core: Core, timer: SessionTimer): Promise<void> =>
  onSession(core, timer.session_id, 'run.nudge', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const run = await findRun(tx.db, timer.ref)
    if (run === undefined || !isOpenRun(run) || session.deleted_at !== null) return
    const content = run.mode === 'infinite' ? cycleText(run) : REMINDER
    const chain = { id: newChainId(undefined), hops: 0 }
    const draft = { to: session.id, from: { kind: 'system' }, content, clientId: nudgeKey(run), chain } as const
    await post(core, tx, session, draft)
    tx.after(() => core.wake(session.id))
  })

const REMINDER =
  'Nothing goes on in the run: no node is open, and you ended your turn. If the goal is met, or cannot be met, call finish; else put the next node on the board, or ask the human.'

const cycleText = ({ nudges }: RunRow): string =>
  `Cycle ${nudges + 1} of the run begins. Go on towards the goal with what is new since the last cycle; what earlier cycles did is not done again (check_board shows it). End your turn when this cycle is done. finish ends the run for good.`
