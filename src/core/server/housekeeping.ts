import type { Core } from '../base/index.ts'
import { tellOfFailure } from './failure-notice.ts'
import { keepHouse } from './retention.ts'

/** Whoever starts the server wants to use it first. */
const START_MS = 30_000
const LOOK_MS = 60 * 60_000
const DAILY_MS = 24 * 60 * 60_000

/** Clears up soon after the start and once a day. A machine that slept through the hour does it when it wakes. */
export function startHousekeeping(core: Core): { stop(): void } {
  let last: number | undefined
  let busy = false
  async function look(): Promise<void> {
    if (busy || !isDue(last, core.clock.now())) return
    busy = true
    last = core.clock.now()
    await keepHouseOrTell(core)
    busy = false
  }
  const first = setTimeout(() => void look(), START_MS).unref()
  const daily = setInterval(() => void look(), LOOK_MS).unref()
  return {
    stop() {
      clearTimeout(first)
      clearInterval(daily)
    },
  }
}

/** A clock that was set back would put the next time days off. */
export const isDue = (last: number | undefined, now: number): boolean =>
  last === undefined || now < last || now - last >= DAILY_MS

/** What fails is tried again a day later, and the person is told. */
export async function keepHouseOrTell(core: Core): Promise<void> {
  try {
    await keepHouse(core)
  } catch (error) {
    core.log('error', 'old rows could not be archived', { error: String(error) })
    await tellOfFailure(core, error).catch(() => {})
  }
}
