import { type ReactNode, useSyncExternalStore } from 'react'
import { standings } from '../state/standing.ts'
import { Glyph } from './icon.tsx'

/** Something needs an answer, can be undone, or was refused. Nothing else makes a toast. */
interface Toast {
  readonly tone: 'ask' | 'bad' | 'rest'
  readonly text: string
  readonly action?: { readonly label: string; act(): void }
}

interface Shown extends Toast {
  readonly id: number
}

const SHOWN = 3
const STAYS_MS = 10_000

let shown: readonly Shown[] = []
let count = 0
const watchers = new Set<() => void>()

function become(next: readonly Shown[]): void {
  shown = next.slice(-SHOWN)
  for (const watcher of watchers) watcher()
}

export function toast(given: Toast): void {
  count += 1
  const id = count
  become([...shown, { ...given, id }])
  setTimeout(() => drop(id), STAYS_MS)
}

const drop = (id: number): void => become(shown.filter((one) => one.id !== id))

export function Toasts(): ReactNode {
  const now = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => shown,
  )
  return (
    <div className="toasts" role="status" aria-live="polite">
      {now.map(({ id, tone, text, action }) => (
        <div key={id} className="toast">
          <Glyph standing={tone === 'ask' ? standings.asks : tone === 'bad' ? standings.failed : standings.waiting} />
          <span className="grow">{text}</span>
          {action && (
            <button
              type="button"
              className="btn sm"
              onClick={() => {
                drop(id)
                action.act()
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" className="btn ghost sm" onClick={() => drop(id)} aria-label="Dismiss">
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
