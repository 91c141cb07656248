import type { Core } from '../core/base/index.ts'
import { claimDue, ring } from '../core/timers/index.ts'
import type { TimerRow } from '../store/tables.ts'
import { nextTimer } from '../store/timers.ts'

/** Rings when the next timer row is due. The rows are the truth: the next look makes up for a lost ring. */
interface Alarm {
  /** A timer was set for this moment. */
  at(due: number): void
  look(): Promise<void>
  /** Resolves once nothing is served any more. */
  stop(): Promise<void>
}

const BATCH = 100
/** How soon to look again for timers that are due but claimed by another process: the claim may run out. */
const CLAIMED_MS = 250
/** What writes files takes longer than a transaction, and nothing else waits for it. */
const isBeside = ({ kind }: TimerRow): boolean => kind === 'files'
/** Wall clocks jump: look again at least this often while something is due later. */
const LONGEST_MS = 60_000

export function createAlarm(core: Core): Alarm {
  let set: { due: number; timeout: NodeJS.Timeout } | undefined
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false
  const beside = new Map<string, Promise<void>>()

  function at(due: number): void {
    if (stopped || (set !== undefined && set.due <= due)) return
    clearTimeout(set?.timeout)
    const ms = Math.min(LONGEST_MS, Math.max(0, due - core.clock.now()))
    set = { due, timeout: setTimeout(() => void look(), ms) }
  }

  /** One look at a time. A call during a look makes it look once more at its end. */
  async function look(): Promise<void> {
    again = true
    if (looking !== undefined) return
    looking = serveAll()
    await looking
  }

  async function serveAll(): Promise<void> {
    while (again && !stopped) {
      again = false
      await serve()
    }
    looking = undefined
  }

  async function serve(): Promise<void> {
    clearTimeout(set?.timeout)
    set = undefined
    try {
      for (let due = await claimDue(core, BATCH); due.length > 0; ) {
        await Promise.all(due.filter((timer) => !isBeside(timer)).map((timer) => ring(core, timer)))
        for (const timer of due.filter(isBeside)) serveBeside(timer)
        due = due.length < BATCH ? [] : await claimDue(core, BATCH)
      }
      const next = await nextTimer(core.store.read, [...beside.keys()])
      const now = core.clock.now()
      if (next !== undefined) at(next > now || core.store.alone ? next : now + CLAIMED_MS)
    } catch (error) {
      core.log('error', 'timers could not be read', { error: String(error) })
      at(core.clock.now() + 1000)
    }
  }

  /** Nobody waits for it; afterwards it may be due again. */
  function serveBeside(timer: TimerRow): void {
    if (beside.has(timer.id) || stopped) return
    const served = ring(core, timer)
      .catch((error: unknown) => core.log('error', 'a timer could not be served', { error: String(error) }))
      .then(() => {
        beside.delete(timer.id)
        void look()
      })
    beside.set(timer.id, served)
  }

  return {
    at,
    look,
    async stop() {
      stopped = true
      clearTimeout(set?.timeout)
      await Promise.all([looking, ...beside.values()])
    },
  }
}
