import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** The words behind `?`: filters, what is selected, what is open beside. */
export type Words = Readonly<Record<string, string | undefined>>

/** Reads them, and changes some; one that becomes undefined goes. Changes replace the address unless a step back is wanted. */
export function useAddress(): readonly [Words, (change: Words, keep?: 'step') => void] {
  const words = useSearch({ strict: false }) as Words
  const go = useNavigate()
  const change = useCallback(
    (next: Words, keep?: 'step') => {
      const search = (before: Words) =>
        Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined))
      void go({ to: '.', search: search as never, replace: keep !== 'step' })
    },
    [go],
  )
  return [words, change]
}
