import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Core } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { fileLog } from '../../lib/log.ts'
import type { Mask } from '../../lib/mask.ts'

/** One line per refusal, trust decision, approval and command: what, where, why. Never a token. */
export type SecurityLog = Core['security']

const LINES = 300
const WINDOW_MS = 60_000
const REASON_CHARS = 1000

/** `<home>/logs/security.log`, at most 300 lines a minute of one kind; what was left out is counted. */
export function openSecurityLog(home: string, clock: Clock, mask: Mask = (text) => text): SecurityLog {
  const folder = join(home, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const log = fileLog(join(folder, 'security.log'), () => clock.now(), cutSecrets)
  let since = clock.now()
  // Counted by kind, so that a flood of one does not hide the others. The kinds are our words, never a caller's.
  const lines = new Map<string, number>()

  return (what, route, reason) => {
    if (Math.abs(clock.now() - since) >= WINDOW_MS) {
      for (const [kind, count] of lines)
        if (count > LINES)
          log('warn', 'log.limited', {
            reason: `${count - LINES} lines of ${kind} were left out in the minute before.`,
          })
      since = clock.now()
      lines.clear()
    }
    const count = (lines.get(what) ?? 0) + 1
    lines.set(what, count)
    // Masked before it is cut, because half a secret is not recognised.
    if (count <= LINES)
      log('warn', what, { route: mask(route).slice(0, 200), reason: cutMiddle(mask(reason), REASON_CHARS) })
  }
}

/** Keeps both ends, so that padding hides neither. */
function cutMiddle(text: string, limit: number): string {
  const left = text.length - limit
  return left <= 0 ? text : `${text.slice(0, limit / 2)} [${left} characters left out] ${text.slice(-limit / 2)}`
}

/** A caller may put a token into the path by mistake, so anything as long as a secret is cut. */
const cutSecrets = (line: string): string => line.replace(/[A-Za-z0-9_-]{32,}/g, (found) => `${found.slice(0, 4)}…`)
