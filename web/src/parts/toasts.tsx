import { type ReactNode, useSyncExternalStore } from 'react'
import { standings } from '../state/standing.ts'
import { Glyph } from './icon.tsx'

/** Something needs an answer, can be undone, or was refused. Nothing else makes a toast. */
interface Toast {
  readonly tone: 'ask' | 'bad' | 'rest'
  readonly text: string
  readonly action?: { readonly label: string; act(): void }
  /** Stays until it is closed, or until what it tells of is over. */
  readonly about?: string
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
  if (given.about === undefined) setTimeout(() => drop(id), STAYS_MS)
}

/** Takes away what tells of something that is over. */
export function keepToasts(still: (about: string) => boolean): void {
  const left = shown.filter(({ about }) => about === undefined || still(about))
  if (left.length < shown.length) become(left)
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
          <button type="button" className="btn ghost sm" onClick={() => drop(id)} aria-label="Close">
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
