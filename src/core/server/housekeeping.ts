import type { Core } from '../base/index.ts'
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
    const now = core.clock.now()
    if (busy || (last !== undefined && now - last < DAILY_MS)) return
    busy = true
    last = now
    await keepHouse(core).catch((error: unknown) => {
      core.log('error', 'old rows could not be archived', { error: String(error) })
    })
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
