import type { From } from '../../contract/messages.ts'
import type { CallRow } from '../../store/tables.ts'
import { waitFor } from './kinds.ts'

/** What holds for the waits of one step, taken together. */

export function asksPerson(call: CallRow): boolean {
  const wait = waitFor(call)
  return wait?.person !== undefined && (wait.asks?.(call) ?? true)
}

/** Mail waits until such a wait is over, whatever else is asked of it. */
export const keepsMail = (call: CallRow): boolean => waitFor(call)?.endedBy === 'nobody'

export const stopsClock = (calls: readonly CallRow[]): boolean => calls.some((call) => waitFor(call)?.stopsClock)

/** Whether a message ends all these waits early. */
export const endedByMail = (calls: readonly CallRow[], from: From['kind']): boolean =>
  calls.every((call) => {
    const by = waitFor(call)?.endedBy ?? 'anyone'
    return by === 'anyone' || (by === 'person' && from === 'human')
  })

/** The question that a message of the person answers; none when they are asked more than one thing. */
export function questionIn(calls: readonly CallRow[]): CallRow | undefined {
  const [first, ...others] = calls.filter(asksPerson)
  return first && others.length === 0 && waitFor(first)?.person?.answer ? first : undefined
}
