import { useSyncExternalStore } from 'react'
import { layoutNow, putLayout, watchLayout } from './layout.ts'

/** What covers the page, and what of its frame is shown. */
interface ShellState {
  readonly sidebar: boolean
  readonly panel: boolean
  readonly over: 'palette' | 'keys' | 'new-run' | undefined
}

let over: ShellState['over']
let state: ShellState = read()
const watchers = new Set<() => void>()

function read(): ShellState {
  const { sidebar, panel } = layoutNow()
  return { sidebar: sidebar !== false, panel: panel !== false, over }
}

function become(): void {
  state = read()
  for (const watcher of watchers) watcher()
}

watchLayout(become)

function cover(next: ShellState['over']): void {
  over = next
  become()
}

export const shell = {
  showSidebar: (sidebar: boolean): void => putLayout({ sidebar }),
  showPanel: (panel: boolean): void => putLayout({ panel }),
  open: cover,
  close: (): void => cover(undefined),
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function useShell(): ShellState & typeof shell {
  const now = useSyncExternalStore(subscribe, () => state)
  return { ...now, ...shell }
}

/** More folds than this are not remembered; the oldest are forgotten first. */
const FOLDS = 200

/** Whether something in the sidebar is open; `usual` until the person folds or opens it, on any device. */
export function useFold(key: string, usual: boolean): readonly [boolean, (open: boolean) => void] {
  const open = useSyncExternalStore(watchLayout, () => folds()[key] ?? usual)
  return [
    open,
    (next) => {
      const { [key]: _, ...rest } = folds()
      putLayout({ folds: Object.fromEntries([...Object.entries(rest), [key, next]].slice(-FOLDS)) })
    },
  ]
}

const folds = (): Readonly<Record<string, boolean>> => (layoutNow().folds ?? {}) as Record<string, boolean>
