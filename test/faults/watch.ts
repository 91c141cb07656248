import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_MS = 25

/** Looks until it sees a value, for things that do not report: files, processes. Fails after so long. */
export async function eventually<T>(look: () => T | undefined, seconds = 15): Promise<T> {
  for (let left = (seconds * 1000) / LOOK_MS; left > 0; left -= 1) {
    const found = look()
    if (found !== undefined) return found
    await pause(LOOK_MS)
  }
  throw new Error(`It did not come to that in ${seconds} s: ${look}`)
}

/** The number in a file, once a whole line of it is there. */
export function numberIn(file: string): number | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.endsWith('\n') ? Number(text) : undefined
}

/** A zombie that waits to be reaped has ended too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !/^State:\s*Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '')
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
