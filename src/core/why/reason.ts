import type { SessionId } from '../../contract/ids.ts'
import type { WhyThing, WhyUnblock, WhyWakes } from '../../contract/why.ts'
import type { Sight } from '../waits/index.ts'

/** What is needed to look at the rows. All rows of one answer are read at one moment. */
export interface Look extends Sight {
  readonly now: number
  readonly limits: {
    readonly maxConcurrentTasks: number
    readonly maxConcurrentTurns: number
    readonly maxConcurrentWorkers: number
  }
}

/** Why one thing is as it is, before it is put into words. */
export interface Reason {
  readonly ref: string
  readonly state: string
  readonly since: number
  /** What it says happened then; else it has been so since then. */
  readonly past?: boolean
  /** The agent and its handle, or the id. */
  readonly who: string
  /** The rest of the sentence: "waits for your answer". */
  readonly says: string
  /** Further facts, one line each. */
  readonly notes?: readonly string[]
  readonly waitsOn: readonly WhyThing[]
  readonly wakes: WhyWakes
  readonly unblock: readonly WhyUnblock[]
  /** Sessions whose own reasons continue this one. */
  readonly follows?: readonly SessionId[]
}

/** What one thing is waited for, without the thing that waits. */
export type Cause = Pick<Reason, 'says' | 'waitsOn' | 'wakes' | 'unblock' | 'follows'>

export const count = (many: number, noun: string): string => `${many} ${noun}${many === 1 ? '' : 's'}`

/** `3s`, `4m`, `2h 5m`, `3d 4h`: two units are enough to know. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.floor(hours / 24)}d ${hours % 24}h`
}
