import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Ends a run of the tests: its process group, and every other process that works in its folder. */
export function endProcesses(group: number, folder: string, spared?: number): void {
  kill(-group)
  for (const pid of processIds()) {
    if (pid !== process.pid && pid !== spared && worksIn(pid, folder)) kill(pid)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** Empty where there is no /proc; then only the process group is ended. */
function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function worksIn(pid: number, folder: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return words.includes(`${folder}/`) || `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
  } catch {
    return false
  }
}
