import { useEffect, useRef } from 'react'

/** Keys outside text fields: `j`, `g i`, `Escape`, `?`, `mod+k`. */
export type KeyMap = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>

/** How long after the first letter of two the second may come. */
const CHORD_MS = 1200

interface Layer {
  readonly map: { current: KeyMap }
}

/** The topmost layer that knows a key acts; those below do not. */
const layers: Layer[] = []
let first: { readonly key: string; readonly at: number } | undefined

export function useKeys(map: KeyMap): void {
  const current = useRef(map)
  current.current = map
  useEffect(() => {
    const layer = { map: current }
    layers.push(layer)
    return () => void layers.splice(layers.indexOf(layer), 1)
  }, [])
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const name = nameOf(event)
  if (isWriting(event) && !name.startsWith('mod+') && name !== 'Escape') return
  if (isPressing(event)) return
  const chord = first && Date.now() - first.at < CHORD_MS ? `${first.key} ${name}` : undefined
  first = undefined
  const act = (chord && find(chord)) || find(name)
  if (act) {
    event.preventDefault()
    act(event)
  } else if (layers.some(({ map }) => Object.keys(map.current).some((key) => key.startsWith(`${name} `)))) {
    first = { key: name, at: Date.now() }
  }
}

const find = (key: string) => layers.findLast(({ map }) => map.current[key] !== undefined)?.map.current[key]

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (ctrlKey || metaKey) return `mod+${key.toLowerCase()}`
  return altKey ? `alt+${key}` : key
}

/** Enter and Space belong to the button or the link that has the focus, but for a row that is open already. */
const isPressing = ({ target, key }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof Element &&
  !target.matches('[aria-current=true]') &&
  target.closest('button, a[href], summary, [role=button], input') !== null

function isWriting({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type)
}

/** Whoever stands on a row of a list goes with the choice to the next one. */
export function useFocusOnChosen(chosen: string | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is what moves it
  useEffect(() => {
    if (document.activeElement?.closest('tr, .inbox-item'))
      document.querySelector<HTMLElement>(':is(tr, .inbox-item) [aria-current=true]')?.focus({ preventScroll: true })
  }, [chosen])
}

window.addEventListener('keydown', onKeyDown)
