import { AppError } from '../../contract/errors.ts'
import type { InboxId, RunId } from '../../contract/ids.ts'
import { RUN_DEFAULTS, type RunLimit, RunLimits } from '../../contract/runs.ts'
import { newId } from '../../lib/ids.ts'
import { settleInbox } from '../../store/inbox.ts'
import { countMessages } from '../../store/run-mail.ts'
import { findRunByInbox, isOpenRun, limitsOfRun, lockRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { InboxRow, RunRow, TimerRow } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, leaveErrand, leaveRunErrand, type Tx, transact } from '../base/index.ts'
import { addInbox } from '../inbox/index.ts'
import { closeRun } from './close.ts'
import { holdRun, letRunGoOn } from './pause.ts'
import { isAlone } from './rest.ts'
import { aboutRun } from './state.ts'
import { timeIsUpAt, watchTime } from './time.ts'

const STOP = 'stop'

const words: Record<RunLimit, (limit: number) => string> = {
  maxNodes: (limit) => `it has ${limit} nodes`,
  maxDepth: (limit) => `its nodes are ${limit} deep`,
  maxMessages: (limit) => `its members wrote ${limit} messages to each other`,
  maxDurationSeconds: (limit) => `it has been open for ${limit} seconds`,
}

/** How far a run may go; undefined where nothing bounds it. */
export function limitOn(run: RunRow, limit: RunLimit): number | undefined {
  const given = limitsOfRun(run)[limit]
  return given ?? (limit === 'maxDurationSeconds' ? undefined : RUN_DEFAULTS[limit])
}

/** Somebody came to a limit of the run: it pauses, and the person is asked, once. */
export const reachLimit = (core: Core, id: RunId, limit: RunLimit): Promise<void> =>
  transact(core, 'run.limit', async (tx) => {
    const run = await lockRun(tx.db, id)
    if (run && isOpenRun(run)) await askAbout(tx, run, limit)
  })

/** The time of the run may be up, or its members may have written too much. */
export const serveLimits = (core: Core, timer: TimerRow): Promise<void> =>
  transact(core, 'run.limit', async (tx) => {
    const run = await lockRun(tx.db, timer.ref)
    if (!(await takeTimer(tx.db, timer)) || run === undefined || !isOpenRun(run)) return
    if ((await countMessages(tx.db, run)) >= limitOn(run, 'maxMessages')!) await askAbout(tx, run, 'maxMessages')
    const due = timeIsUpAt(run)
    if (due !== undefined && due <= tx.now) await askAbout(tx, run, 'maxDurationSeconds')
    else await watchTime(tx, run)
  })

async function askAbout(tx: Tx, run: RunRow, limit: RunLimit): Promise<void> {
  if (run.inbox_id !== null) return
  const most = limitOn(run, limit)!
  const reached = `limits.${limit} is reached: ${words[limit](most)}.`
  const coordinator = (await findSession(tx.db, run.session_id))!
  if (isAlone(coordinator)) return closeRun(tx, run, { status: 'failed', reason: reached })
  const id: InboxId = newId('inbox')
  await holdRun(tx, run, reached, { inbox_id: id, asked_limit: limit })
  await addInbox(tx, coordinator, {
    id,
    kind: 'notice',
    title: `The run "${run.title}" has paused: ${words[limit](most)}`,
    body: `${reached} Nothing is lost; it waits for you.\nAnswer "raise to ${most * 2}" (or any number above ${most}) to let it go on, or "${STOP}" to end it.`,
    options: [`raise to ${most * 2}`, STOP],
    action: 'limit',
  })
}

/** What a person decided: how far the run may go, or that it ends. False when it was decided already. */
export const answerRun = (core: Core, item: InboxRow, said: string, by: string): Promise<boolean> =>
  transact(core, 'run.answer', async (tx) => {
    const asked = await findRunByInbox(tx.db, item.id)
    const run = asked && (await lockRun(tx.db, asked.id))
    const limit = run?.asked_limit
    if (run?.inbox_id !== item.id || limit == null) return false
    const limits = said.trim().toLowerCase() === STOP ? undefined : raised(run, limit, said)
    if (!(await settleInbox(tx.db, item.id, 'answered', { answer: { answer: said }, by, at: tx.now }))) return false
    tx.record('inbox.answered', aboutRun(run), { inboxId: item.id, by })
    run.inbox_id = null
    if (limits === undefined) {
      await closeRun(tx, run, { status: 'stopped', reason: `A person stopped it at limits.${limit}.` })
      return true
    }
    await letRunGoOn(tx, run, { inbox_id: null, asked_limit: null, limits: JSON.stringify(limits) })
    if (refuses(limit)) await leaveErrand(tx, { kind: 'news', ref: item.id, sessionId: run.session_id })
    // Another limit may have been reached meanwhile.
    await leaveRunErrand(tx, 'limit', run.id)
    return true
  })

/** Nodes that would go beyond it are refused; beyond the others it is only seen afterwards. */
const refuses = (limit: RunLimit): boolean => limit === 'maxNodes' || limit === 'maxDepth'

/** "raise to 200", "200". */
function raised(run: RunRow, limit: RunLimit, said: string): RunLimits {
  const number = Number(/^(?:raise(?: it)?(?: to)? )?(\d{1,9})$/i.exec(said.trim())?.[1])
  const most = limitOn(run, limit)!
  const limits = RunLimits.safeParse({ ...limitsOfRun(run), [limit]: number })
  if (limits.success && number > most) return limits.data
  throw new AppError('inbox.bad_answer', `"${said.slice(0, 80)}" is neither a number above ${most} nor "${STOP}".`, {
    hint: `Answer "raise to ${most * 2}", or "${STOP}". maxDepth goes up to 20, maxNodes to 10000.`,
  })
}
