import type { Core } from '../../src/core/base/core.ts'
import { readEvents } from '../../src/core/base/events.ts'

const PAGE = 500
const LOOK_MS = 5

/** Learns of ended turns from the record, rarely enough that watching costs next to nothing. */
export function watchTurns(core: Core) {
  const waiting = new Map<string, { resolve(): void; reject(error: Error): void }>()
  let cursor: string | undefined
  let timer: NodeJS.Timeout | undefined

  const off = core.bus.onCommit(() => {
    timer ??= setTimeout(() => void look(), LOOK_MS)
  })

  async function look(): Promise<void> {
    timer = undefined
    const { items, seq } = await readEvents(core, {
      ...(cursor && { after: cursor }),
      types: ['turn.ended'],
      limit: PAGE,
    })
    cursor = seq
    for (const { sessionId = '', data } of items) {
      const waiter = waiting.get(sessionId)
      waiting.delete(sessionId)
      if (data.end === 'done') waiter?.resolve()
      else waiter?.reject(new Error(`The turn ended with "${data.end}": ${data.reason}`))
    }
    if (items.length === PAGE) await look()
  }

  return {
    /** Resolves when the session's next turn is done; ask before the message is sent. */
    next: (sessionId: string) =>
      new Promise<void>((resolve, reject) => void waiting.set(sessionId, { resolve, reject })),
    stop() {
      off()
      clearTimeout(timer)
    },
  }
}
