import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** The processes whose command line contains a text; arguments are separated by NUL. Dead ones do not count. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandLine(pid).includes(text))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

/** Looks until it is so; fails after 20 s. */
export async function eventually(look: () => boolean): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (look()) return
    await pause(50)
  }
  throw new Error(`still not so after 20 s: ${look}`)
}
