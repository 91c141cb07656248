import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The memory that a process holds, in megabytes. */
export const rssOf = (pid: number): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024

/** The processor time of all threads of a process, in milliseconds; empty where the system does not tell it exactly. */
export function cpuOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanos = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    return [nanos.reduce((sum, each) => sum + each, 0) / 1e6]
  } catch {
    return []
  }
}
