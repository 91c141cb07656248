import { callsOf, type Message } from '../../../contract/messages.ts'

/**
 * Before which messages a history may be cut, by their place in it, the first one left out: no call is separated from its
 * result, and no answer that was cut by its limit from what goes on with it.
 */
export function cutPoints(messages: readonly Message[]): number[] {
  const called = new Map<string, number>()
  /** The last place, for each, at which a cut would tear something apart that begins before it. */
  const reaches = messages.map(() => 0)
  const join = (from: number, to: number): void => {
    reaches[from] = Math.max(reaches[from] ?? 0, to)
  }
  let unfinished: number | undefined
  for (const [at, { role, parts, cut }] of messages.entries()) {
    for (const { callId } of callsOf(parts)) called.set(callId, at)
    for (const part of parts) {
      const from = part.type === 'tool-result' ? called.get(part.callId) : undefined
      if (from !== undefined) join(from, at)
    }
    if (role !== 'assistant') continue
    if (unfinished !== undefined) join(unfinished, at)
    unfinished = cut ? at : undefined
  }
  let torn = 0
  return [...messages.keys()].filter((at) => {
    const whole = torn < at
    torn = Math.max(torn, reaches[at] ?? 0)
    return at > 0 && whole && messages[at]?.role !== 'tool'
  })
}
