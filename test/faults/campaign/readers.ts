import type { Event } from '../../../src/contract/events.ts'
import type { Life } from '../life.ts'

/** One who reads events as they come, and goes on where it was whenever it is cut off. */
interface Reader {
  /** How often each event came. */
  readonly seen: ReadonlyMap<string, number>
  readonly connections: number
  readonly began: Promise<void>
  stop(): Promise<void>
}

/** Of any order of magnitude alike: one who only ever took a few would never catch up with a load that others make. */
const LONGEST_READ = 2000

/** Cuts itself off after some events, too. */
export function startReader(life: Pick<Life, 'server'>, random: () => number): Reader {
  const seen = new Map<string, number>()
  const began = Promise.withResolvers<void>()
  const over = new AbortController()
  let after: string | undefined
  let connections = 0

  async function read(): Promise<void> {
    const { url, token } = await life.server()
    const cut = new AbortController()
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
    const response = await fetch(`${url}/api/events/stream${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([cut.signal, over.signal]),
    })
    if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
    connections += 1
    let left = Math.floor(LONGEST_READ ** random())
    let rest = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
        if (fields.data === undefined || fields.event === 'end') continue
        const { seq } = JSON.parse(fields.data) as Pick<Event, 'seq'>
        after = seq
        began.resolve()
        if (fields.event !== undefined) continue
        const key = seq.split('~', 1)[0]!
        seen.set(key, (seen.get(key) ?? 0) + 1)
        left -= 1
        // What came after this one in the same chunk was never read.
        if (left === 0) return cut.abort()
      }
    }
  }

  const reading = (async () => {
    // A server that is gone, or whose database is, is asked again.
    while (!over.signal.aborted) await read().catch(() => new Promise((resolve) => setTimeout(resolve, 20)))
  })()
  return {
    seen,
    get connections() {
      return connections
    },
    began: began.promise,
    async stop() {
      over.abort()
      await reading
    },
  }
}
