import type { Core } from '../core/core.ts'
import { ring } from '../core/timers.ts'
import { dueTimers, nextTimer } from '../store/timers.ts'

/** Rings when the next timer row is due. The rows are the truth: a lost ring is made up for by the next look. */
export interface Alarm {
  /** A timer was set for this moment. */
  at(due: number): void
  look(): Promise<void>
  stop(): void
}

const BATCH = 100
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

  /** One at a time: what becomes due meanwhile is looked for once more, not beside it. */
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
      for (let due = await dueTimers(core.store.read, core.clock.now(), BATCH); due.length > 0; ) {
        await Promise.all(due.map((timer) => ring(core, timer)))
        due = due.length < BATCH ? [] : await dueTimers(core.store.read, core.clock.now(), BATCH)
      }
      const next = await nextTimer(core.store.read)
      if (next !== undefined) at(next)
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
