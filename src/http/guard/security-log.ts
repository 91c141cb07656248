import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Core } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { fileLog } from '../../lib/log.ts'
import type { Mask } from '../../lib/mask.ts'

/** One line per refusal, trust decision, approval and command: what, where, why. Never a token. */
export type SecurityLog = Core['security']

const LINES = 300
const SOURCES = 16
const WINDOW_MS = 60_000
const REASON_CHARS = 1000

/** What a person did to what is allowed here. These outlast the files of the log, whatever else is written into them. */
const decided =
  /^(device\.\w+|login\.code|trust|permission|approval|settings|agent|trigger|daemon|shutdown|log\.limited)$/

/** What was refused, and what a person was asked, outlast any number of commands. */
const refused = /^(auth\.\w+|\w+\.denied|path\.outside|address\.not_allowed|approval\.asked)$/

/**
 * `<home>/logs/security.log`, at most 300 lines a minute of one kind from one source: a session, a caller or an address.
 * So neither a flood of one kind nor one noisy source hides the others, and what was left out is counted.
 */
export function openSecurityLog(home: string, clock: Clock, mask: Mask = (text) => text): SecurityLog {
  const folder = join(home, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const log = fileLog({
    file: join(folder, 'security.log'),
    now: () => clock.now(),
    mask: cutSecrets,
    keeps: [decided, refused],
  })
  let since = clock.now()
  // The kinds are our words, never a caller's.
  const kinds = new Map<string, Map<string, number>>()
  let timer: NodeJS.Timeout | undefined

  return (what, route, reason, source = route) => {
    if (Math.abs(clock.now() - since) >= WINDOW_MS) begin()
    // Masked before it is cut, because half a secret is not recognised.
    if (count(what, source) <= LINES)
      log('warn', what, {
        route: mask(route).slice(0, 200),
        ...(source !== route && { from: mask(source).slice(0, 100) }),
        reason: cutMiddle(mask(reason), REASON_CHARS),
      })
    // Nothing may follow, and the count is to be read all the same.
    else timer ??= setTimeout(begin, WINDOW_MS).unref()
  }

  function count(what: string, source: string): number {
    const sources = kinds.get(what) ?? new Map<string, number>()
    kinds.set(what, sources)
    const counted = sources.has(source) || sources.size < SOURCES ? source : 'others'
    const lines = (sources.get(counted) ?? 0) + 1
    sources.set(counted, lines)
    return lines
  }

  /** A new minute begins; of the last one is said what was left out. */
  function begin(): void {
    for (const [kind, sources] of kinds)
      for (const [source, lines] of sources)
        if (lines > LINES)
          log('warn', 'log.limited', {
            reason: `${lines - LINES} lines of ${kind} were left out in the minute before, from ${mask(source).slice(0, 100)}.`,
          })
    since = clock.now()
    kinds.clear()
    clearTimeout(timer)
    timer = undefined
  }
}

/** Keeps both ends, so that padding hides neither. */
function cutMiddle(text: string, limit: number): string {
  const left = text.length - limit
  return left <= 0 ? text : `${text.slice(0, limit / 2)} [${left} characters left out] ${text.slice(-limit / 2)}`
}

/** A caller may put a token into the path by mistake, so anything as long as a secret is cut. */
const cutSecrets = (line: string): string => line.replace(/[A-Za-z0-9_-]{32,}/g, (found) => `${found.slice(0, 4)}…`)
