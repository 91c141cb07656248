import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { fileLog } from '../lib/log.ts'

/** One line per refusal, trust decision and approval: what, on which route, why. Never a token. */
export type SecurityLog = (what: string, route: string, reason: string) => void

const LINES = 300
const WINDOW_MS = 60_000

/** `<home>/logs/security.log`, at most 300 lines a minute; what was left out is counted. */
export function openSecurityLog(home: string, clock: Clock): SecurityLog {
  const folder = join(home, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const log = fileLog(join(folder, 'security.log'), () => clock.now(), maskSecrets)
  let since = clock.now()
  let lines = 0

  return (what, route, reason) => {
    if (Math.abs(clock.now() - since) >= WINDOW_MS) {
      if (lines > LINES)
        log('warn', 'log.limited', { reason: `${lines - LINES} lines were left out in the minute before.` })
      since = clock.now()
      lines = 0
    }
    lines += 1
    if (lines <= LINES) log('warn', what, { route: route.slice(0, 200), reason: reason.slice(0, 300) })
  }
}

/** A caller chooses the path and may put a token there by mistake: anything as long as a secret is cut. */
const maskSecrets = (line: string): string => line.replace(/[A-Za-z0-9_-]{32,}/g, (found) => `${found.slice(0, 4)}…`)
