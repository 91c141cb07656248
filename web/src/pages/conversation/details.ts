import { useState, useSyncExternalStore } from 'react'
import { useKeys } from '../../shell/keys.ts'
import { shell, useShell } from '../../shell/shell-state.ts'

/** Whether the details are shown beside, or where there is no room for that, over the conversation. */
export interface Details {
  readonly shown: boolean
  readonly over: boolean
  toggle(): void
}

const narrow = matchMedia('(max-width: 1199px)')

function watchWidth(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}

/** Beside, they stay as the person left them everywhere; over the conversation they are opened each time. */
export function useDetails(): Details {
  const over = useSyncExternalStore(watchWidth, () => narrow.matches)
  const { panel } = useShell()
  const [opened, setOpened] = useState(false)
  const shown = over ? opened : panel
  const toggle = () => (over ? setOpened(!opened) : shell.showPanel(!panel))
  const keys = { '.': toggle, ...(over && opened && { Escape: toggle }) }
  useKeys(keys)
  return { shown, over, toggle }
}
