import { kept } from '../live/kept.ts'
import { server } from '../live/server.ts'

/** How the person arranged the page: kept in this browser for the next load, and on the server for other devices. */
export type Layout = Readonly<Record<string, unknown>>

const KEY = 'troupe.layout'
/** Changes within this time are sent together. */
const PAUSE_MS = 800

let layout: Layout = remembered()
let sending: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()

export const layoutNow = (): Layout => layout

export function watchLayout(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function putLayout(change: Layout): void {
  become({ ...layout, ...change })
  clearTimeout(sending)
  sending = setTimeout(send, PAUSE_MS)
}

/** What was arranged last, on whichever device. A change that was made here meanwhile is not undone by it. */
export async function readLayout(): Promise<void> {
  const found = await server.call('GET /api/me/layout').catch(() => undefined)
  if (found?.updatedAt !== undefined && sending === undefined) become(found.value)
}

async function send(): Promise<void> {
  sending = undefined
  // What does not reach the server stays in this browser, and goes with the next change.
  await server.call('PUT /api/me/layout', { body: { value: layout } }).catch(() => undefined)
}

function become(next: Layout): void {
  layout = next
  kept.put(KEY, JSON.stringify(layout))
  for (const watcher of watchers) watcher()
}

function remembered(): Layout {
  try {
    const found = JSON.parse(kept.get(KEY) ?? '{}') as unknown
    return typeof found === 'object' && found !== null ? (found as Layout) : {}
  } catch {
    return {}
  }
}
