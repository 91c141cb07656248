import { useNavigate, useSearch } from '@tanstack/react-router'

/** The words behind `?`: filters, what is chosen, what is open. Putting `undefined` takes a word away. */
export function useAddress(): readonly [
  Readonly<Record<string, string | undefined>>,
  (change: Readonly<Record<string, string | undefined>>, how?: { replace?: boolean }) => void,
] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const go = useNavigate()
  return [
    search,
    (change, { replace = false } = {}) =>
      void go({ to: '.', search: withoutEmpty({ ...search, ...change }) as never, replace }),
  ]
}

const withoutEmpty = (words: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).flatMap(([name, value]) => (value ? [[name, value]] : [])))
