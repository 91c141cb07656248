import { useCallback, useEffect, useState } from 'react'
import { attempt } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { findInLog } from '../../state/session-acts.ts'

/** Words that are looked for in a conversation, and where they are. */
export interface Find {
  readonly open: boolean
  /** How often it was asked for since it is open: each time the field gets the focus. */
  readonly asked: number
  readonly text: string
  /** Undefined while they are looked for. */
  readonly seqs: readonly number[] | undefined
  /** There are older ones that were not looked at. */
  readonly more: boolean
  /** Which of them is shown; the newest is 0. */
  readonly at: number
  /** The message that is shown. */
  readonly target: number | undefined
  look(text: string): void
  walk(step: 1 | -1): void
  close(): void
}

const TYPED_MS = 200
const nothing = { seqs: [] as readonly number[], more: false }

let starter: (() => void) | undefined

/** Opens the one that is on the page, as its keys do. */
export const startFind = (): void => starter?.()

/** `newest` counts the log: what is said while it is open is looked at too. */
export function useFind(session: string, newest: number): Find {
  const [asked, setAsked] = useState(0)
  const open = asked > 0
  const [text, setText] = useState('')
  const [found, setFound] = useState<typeof nothing | undefined>(nothing)
  const [at, setAt] = useState(0)
  const words = text.trim()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer log is looked at anew
  useEffect(() => {
    if (!open || words === '') return setFound(nothing)
    let current = true
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const all = await findInLog(session, words)
          if (current) setFound(all)
        }),
      TYPED_MS,
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [open, session, words, newest])
  const close = useCallback(() => setAsked(0), [])
  const start = () => setAsked(asked + 1)
  useEffect(() => {
    starter = start
    return () => {
      if (starter === start) starter = undefined
    }
  })
  // The second Ctrl F is the browser's own.
  useKeys({ '/': start, ...(!open && { 'mod+f': start }) })
  const count = found?.seqs.length ?? 0
  return {
    ...{ open, asked, text, seqs: found?.seqs, more: found?.more ?? false, at },
    target: open && words !== '' ? found?.seqs[at] : undefined,
    look(next) {
      setText(next)
      setFound(next.trim() === '' ? nothing : undefined)
      setAt(0)
    },
    walk: (step) => count > 0 && setAt((at + step + count) % count),
    close,
  }
}
