import type { Clock } from '../../lib/clock.ts'
import { hex } from '../../lib/ids.ts'
import { digest } from './secrets.ts'

/** One-time login codes. They live in memory, so after a restart the person makes a new link. */
export interface Codes {
  make(): { code: string; expiresAt: number }
  /** True once, within five minutes after the code was made. */
  take(code: string): true | undefined
}

const LIFE_MS = 5 * 60_000
const OPEN_CODES = 20

export function createCodes(clock: Clock): Codes {
  // The keys are digests, so that looking up takes the same time for every wrong code.
  const open = new Map<string, number>()

  return {
    make() {
      if (open.size >= OPEN_CODES) open.delete(open.keys().next().value!)
      const code = hex(16)
      const expiresAt = clock.now() + LIFE_MS
      open.set(keyOf(code), expiresAt)
      return { code, expiresAt }
    },
    take(code) {
      const key = keyOf(code)
      const expiresAt = open.get(key)
      open.delete(key)
      return expiresAt !== undefined && clock.now() < expiresAt ? true : undefined
    },
  }
}

const keyOf = (code: string): string => digest(code).toString('hex')
