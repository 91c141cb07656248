import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * The living processes whose command line contains a text, whatever namespace they are in. Arguments are separated by
 * NUL. Works on Linux only.
 */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandLine(pid).includes(text))
}

/** Empty when the process has ended, also while it waits to be reaped. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

const PATIENCE_SECONDS = 20
const LOOK_MS = 25
const SELDOM_MS = 400
const SELDOMER = 1.5

/** How long to wait before the next look: ever longer, because looks take the time of what is waited for. */
export const seldomer = (waitMs: number, mostMs: number): number =>
  Math.max(waitMs, Math.min(waitMs * SELDOMER, mostMs))

/** Looks until it sees a value, for things that do not report: files, processes, rows. Fails after a time limit. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = PATIENCE_SECONDS,
  firstMs = LOOK_MS,
): Promise<T> {
  let waitMs = firstMs
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(waitMs)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    waitMs = seldomer(waitMs, SELDOM_MS)
  }
  throw new Error(`It did not come to that in ${seconds} s: ${look}`)
}

export async function within<T>(seconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`It took longer than ${seconds} s.`)), seconds * 1000)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
