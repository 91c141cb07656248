import { useSyncExternalStore } from 'react'

/** What covers the page, and what of its frame is shown. */
interface ShellState {
  readonly sidebar: boolean
  readonly panel: boolean
  readonly over: 'palette' | 'keys' | 'new-run' | undefined
}

const KEY = 'troupe.shell'

let state: ShellState = { sidebar: true, panel: true, over: undefined, ...remembered() }
const watchers = new Set<() => void>()

function become(change: Partial<ShellState>): void {
  state = { ...state, ...change }
  const { sidebar, panel } = state
  localStorage.setItem(KEY, JSON.stringify({ sidebar, panel }))
  for (const watcher of watchers) watcher()
}

function remembered(): Partial<ShellState> {
  try {
    const { sidebar = true, panel = true } = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<ShellState>
    return { sidebar, panel }
  } catch {
    return {}
  }
}

export const shell = {
  showSidebar: (sidebar: boolean): void => become({ sidebar }),
  showPanel: (panel: boolean): void => become({ panel }),
  open: (over: ShellState['over']): void => become({ over }),
  close: (): void => become({ over: undefined }),
}

export function useShell(): ShellState & typeof shell {
  const now = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
  return { ...now, ...shell }
}
