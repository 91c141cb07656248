import { useSyncExternalStore } from 'react'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { attempt } from '../parts/small.tsx'
import { toast } from '../parts/toasts.tsx'
import { dismissItem } from './inbox.ts'

/** The server takes no dismissal back, so it is told when the time to undo is over. */
const UNDO_MS = 10_000

let hidden: ReadonlySet<string> = new Set()
let last: (() => void) | undefined
const watchers = new Set<() => void>()

function become(next: ReadonlySet<string>): void {
  hidden = next
  for (const watcher of watchers) watcher()
}

/** Takes items off the list at once; within ten seconds they can be brought back. */
export function dismiss(items: readonly InboxItem[]): void {
  if (items.length === 0) return
  const ids = items.map(({ id }) => id)
  become(new Set([...hidden, ...ids]))
  const back = (): void => become(new Set([...hidden].filter((id) => !ids.includes(id as InboxItem['id']))))
  const timer = setTimeout(async () => {
    if (last === undo) last = undefined
    for (const id of ids) await attempt(() => dismissItem(id))
    back()
  }, UNDO_MS)
  const undo = (): void => {
    clearTimeout(timer)
    last = undefined
    back()
  }
  last = undo
  const text = items.length === 1 ? `Dismissed: ${items[0]!.title}` : `${items.length} items dismissed`
  toast({ tone: 'rest', text, action: { label: 'Undo', act: undo } })
}

export const undoDismiss = (): void => last?.()

/** What is off the list although the server still has it open. */
export const useDismissed = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => hidden,
  )
