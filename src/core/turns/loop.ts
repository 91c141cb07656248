import type { SessionRow } from '../../store/tables.ts'
import type { Core, Lease } from '../base/index.ts'
import { isForeign, SUSPECT_AFTER, whyNotHere } from '../sessions/index.ts'
import { advance } from './advance.ts'
import { giveUp, handBack, letGo, setAside } from './break-off.ts'
import { endBroken } from './broken.ts'
import { runCalls } from './calls.ts'
import { compact } from './compaction/compact.ts'
import { hearCalls } from './hooked.ts'
import { startSession } from './hooked-start.ts'
import { callModel } from './model.ts'
import { planStep } from './plan.ts'
import { publishHere } from './published.ts'
import type { Made, Next } from './safe-point.ts'
import { writeTitle } from './title.ts'
import { openTurn, type Turn } from './turn.ts'

/** After the attempts beside others, three alone decide that it is the turn that stops the program. */
const MAX_ATTEMPTS = SUSPECT_AFTER + 3
/** Three more claims try to write its end; after them only the row says that it failed. */
const MAX_CLAIMS = MAX_ATTEMPTS + 3
/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * One activation of a session: it goes on until nothing is left to do, its calls wait, or it is told to stop. What only the
 * session's own host can run is left to it.
 */
export async function runTurn(
  core: Core,
  lease: Lease,
  session: SessionRow,
  onOpen: (turn: Turn) => void,
): Promise<'elsewhere' | undefined> {
  if (isForeign(core, session) && (await whyNotHere(core, session)) !== undefined) {
    await handBack(core, lease)
    return 'elsewhere'
  }
  await runHere(core, lease, session, onOpen)
  return undefined
}

async function runHere(core: Core, lease: Lease, session: SessionRow, onOpen: (turn: Turn) => void): Promise<void> {
  if (session.attempts > MAX_CLAIMS) return setAside(core, lease)
  if (session.attempts > MAX_ATTEMPTS) return giveUp(core, lease)
  const turn = await openTurn(core, lease, session)
  if ('problem' in turn) return endBroken(core, lease, turn.problem)
  onOpen(turn)
  lease.signal.addEventListener('abort', () => turn.stop.abort(lease.signal.reason), { once: true })

  try {
    const start = await inTime(turn, core.clock.now() + turn.setup.maxDurationMs, () => startSession(turn, session))
    let made: Made = start === undefined ? {} : { start }
    for (;;) {
      if (lease.signal.aborted) return await letGo(turn, made)
      // Where a step needs money, its price is known before the safe point puts the money aside.
      if (turn.purse !== undefined) turn.plan = await planStep(turn)
      const next = await advance(turn, made)
      if (next.do === 'leave') return
      const done = await inTime(turn, next.deadline, () => doNext(turn, next))
      if ('problem' in done) return await endBroken(core, lease, done.problem)
      made = done
    }
  } finally {
    // Whatever still runs when the loop breaks off (the lease was lost, the store is gone) ends with it.
    turn.stop.abort('the turn is over')
  }
}

async function doNext(turn: Turn, next: Exclude<Next, { do: 'leave' }>): Promise<Made | { readonly problem: string }> {
  if (next.do === 'compact') return compact(turn, next)
  if (next.do === 'publish') return publishHere(turn, next)
  if (next.do === 'title') return writeTitle(turn)
  if (next.do === 'hooks') return { heard: await hearCalls(turn, next.calls) }
  return next.do === 'model' ? callModel(turn, next) : runCalls(turn, next.calls, next.deadline)
}

/** A request or a command that is still going at the turn's deadline is ended there. */
async function inTime<T>(turn: Turn, deadline: number, work: () => Promise<T>): Promise<T> {
  const left = Math.min(LONGEST_TIMER_MS, Math.max(0, deadline - turn.core.clock.now()))
  const timer = setTimeout(() => turn.stop.abort('time limit'), left)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}
