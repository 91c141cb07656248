import { useEffect, useRef, useState } from 'react'
import { kept } from '../../live/kept.ts'

/** What was typed and not sent, kept per session in this browser. */
export function useDraft(session: string): readonly [string, (text: string) => void] {
  const key = `troupe.draft.${session}`
  const [text, setText] = useState(() => kept.get(key) ?? '')
  const shown = useRef(key)
  useEffect(() => {
    if (shown.current === key) return
    shown.current = key
    setText(kept.get(key) ?? '')
  }, [key])
  const keep = (next: string) => {
    setText(next)
    if (next === '') kept.drop(key)
    else kept.put(key, next)
  }
  return [text, keep]
}
