import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'

const GIB = 1024 ** 3

/** The most that one command may use, with all processes that come of it. */
export interface Caps {
  readonly memoryBytes: number
  readonly processes: number
  /** Of one file. */
  readonly fileBytes: number
  /** Of the temporary files of a command in the sandbox. They lie in memory and are gone with the command. */
  readonly tempBytes: number
}

/** Generous: they are there to keep a runaway command from taking the machine down, not to ration ordinary work. */
export const commandCaps: Caps = {
  memoryBytes: Math.min(16 * GIB, Math.floor(memoryHere() * 0.75)),
  processes: 2000,
  fileBytes: 8 * GIB,
  tempBytes: Math.min(4 * GIB, Math.floor(memoryHere() / 8)),
}

/** Processes and memory are counted through what Linux lists below a process. */
export const capsHold = process.platform === 'linux' && existsSync(`/proc/self/task/${process.pid}/children`)

export const gibibytes = (bytes: number): string => `${Math.round((bytes / GIB) * 10) / 10} GiB`

/** What the machine has, or less when this process itself may not use all of it. */
function memoryHere(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem()
}
