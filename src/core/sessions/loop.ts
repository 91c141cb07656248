import type { SessionRow } from '../../store/tables.ts'
import type { Core, Lease } from '../core.ts'
import { advance, giveUp, letGo, type Made } from './advance.ts'
import { runCalls } from './calls.ts'
import { callModel } from './model.ts'
import { openTurn, type Turn } from './turn.ts'

export const MAX_ATTEMPTS = 3

/** One activation of a session: until there is nothing left to do, its calls wait, or it is told to stop. */
export async function runTurn(
  core: Core,
  lease: Lease,
  session: SessionRow,
  onOpen: (turn: Turn) => void,
): Promise<void> {
  if (session.attempts > MAX_ATTEMPTS) return giveUp(core, lease)
  const turn = await openTurn(core, lease, session)
  onOpen(turn)
  lease.signal.addEventListener('abort', () => turn.stop.abort('shutdown'), { once: true })

  try {
    let made: Made = {}
    for (;;) {
      if (lease.signal.aborted) return await letGo(turn, made)
      const next = await advance(turn, made)
      if (next.do === 'leave') return
      made = next.do === 'model' ? await callModel(turn, next) : await runCalls(turn, next.calls)
    }
  } finally {
    // Whatever still runs when the loop breaks off (the lease was lost, the store is gone) ends with it.
    turn.stop.abort('the turn is over')
  }
}
