import { useEffect, useRef, useState } from 'react'

/** What was typed and not sent, kept per session in this browser. */
export function useDraft(session: string): readonly [string, (text: string) => void] {
  const key = `troupe.draft.${session}`
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '')
  const shown = useRef(key)
  useEffect(() => {
    if (shown.current === key) return
    shown.current = key
    setText(localStorage.getItem(key) ?? '')
  }, [key])
  const keep = (next: string) => {
    setText(next)
    if (next === '') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
  }
  return [text, keep]
}
