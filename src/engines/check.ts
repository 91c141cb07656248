import type { SessionId } from '../contract/ids.ts'
import type { Core } from '../core/base/index.ts'
import { SUSPECT_AFTER } from '../core/sessions/index.ts'
import { openCalls } from '../store/calls.ts'
import { suspectSessions } from '../store/leases.ts'

/** How long a suspect is in hand without progress; twice as long each time that this was not long enough. */
const CHECK_MS = 5000
const DOUBLED_AT_MOST = 6
/** How long it takes to lay a session down whose request is ended. */
const LAID_DOWN_MS = 8000
const SUSPECTS = 1000
/** After this time everything goes on; whoever was not checked by then comes first after the next crash. */
const LONGEST_MS = 120_000

interface Checked {
  readonly done: Promise<void>
  readonly stop: AbortController
}

/**
 * A process that has just begun, after others died, takes the sessions that may be the cause in hand one after another and
 * nothing else. What stops the process now did it alone. Each is laid down again once it has made something or lived
 * long enough, so that the next one is alone too.
 */
export async function checkSuspects(core: Core, start: (id: SessionId) => Checked | undefined): Promise<void> {
  const now = await core.store.now(core.store.read)
  const suspicion = { host: core.host, now, attempts: SUSPECT_AFTER, limit: SUSPECTS }
  const until = performance.now() + LONGEST_MS
  for (const { id, checks } of await suspectSessions(core.store.read, suspicion)) {
    const checked = performance.now() < until ? start(id) : undefined
    if (checked === undefined) return
    const { done, stop } = checked
    if (await ends(done, CHECK_MS * 2 ** Math.min(checks, DOUBLED_AT_MOST))) continue
    // It made something, else no call would run: for a check no command is cut off. The others go on beside it.
    if ((await openCalls(core.store.read, id)).some(({ state }) => state === 'started')) return
    stop.abort('checked')
    if (!(await ends(done, LAID_DOWN_MS))) return
  }
}

async function ends(done: Promise<void>, ms: number): Promise<boolean> {
  const enough = Promise.withResolvers<false>()
  const timer = setTimeout(enough.resolve, ms, false)
  const ended = await Promise.race([done.then(() => true), enough.promise])
  clearTimeout(timer)
  return ended
}
