import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 25

/** Looks until it sees a value, for things that do not report: files, processes, rows. Fails after so long. */
export async function eventually<T>(
  look: () => T | undefined | Promise<T | undefined>,
  seconds = 15,
  everyMs = LOOK_MS,
): Promise<T> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const found = await look()
    if (found !== undefined) return found
    await pause(everyMs)
  }
  throw new Error(`It did not come to that in ${seconds} s: ${look}`)
}

/** The processes that were started with this word, whatever namespace they live in. Linux only. */
export function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && commandOf(pid).includes(word))
}

/** Empty when it has ended, also while it waits to be reaped. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
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
