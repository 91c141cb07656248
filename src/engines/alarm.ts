import type { Core } from '../core/base/index.ts'
import { claimDue, ring } from '../core/timers/index.ts'
import { nextTimer } from '../store/timers.ts'

/** Rings when the next timer row is due. The rows are the truth: the next look makes up for a lost ring. */
interface Alarm {
  /** A timer was set for this moment. */
  at(due: number): void
  look(): Promise<void>
  stop(): void
}

const BATCH = 100
/** How soon to look again for timers that are due but claimed by another process: the claim may run out. */
const CLAIMED_MS = 250
/** Wall clocks jump: look again at least this often while something is due later. */
const LONGEST_MS = 60_000

export function createAlarm(core: Core): Alarm {
  let set: { due: number; timeout: NodeJS.Timeout } | undefined
  let stopped = false
  let looking = false
  let again = false

  function at(due: number): void {
    if (stopped || (set !== undefined && set.due <= due)) return
    clearTimeout(set?.timeout)
    const ms = Math.min(LONGEST_MS, Math.max(0, due - core.clock.now()))
    set = { due, timeout: setTimeout(() => void look(), ms) }
  }

  /** One look at a time. A call during a look makes it look once more at its end. */
  async function look(): Promise<void> {
    again = true
    if (looking) return
    looking = true
    while (again && !stopped) {
      again = false
      await serve()
    }
    looking = false
  }

  async function serve(): Promise<void> {
    clearTimeout(set?.timeout)
    set = undefined
    try {
      for (let due = await claimDue(core, BATCH); due.length > 0; ) {
        await Promise.all(due.map((timer) => ring(core, timer)))
        due = due.length < BATCH ? [] : await claimDue(core, BATCH)
      }
      const next = await nextTimer(core.store.read)
      const now = core.clock.now()
      if (next !== undefined) at(next > now || core.store.alone ? next : now + CLAIMED_MS)
    } catch (error) {
      core.log('error', 'timers could not be read', { error: String(error) })
      at(core.clock.now() + 1000)
    }
  }

  return {
    at,
    look,
    stop() {
      stopped = true
      clearTimeout(set?.timeout)
    },
  }
}
