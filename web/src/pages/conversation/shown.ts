import { useEffect, useRef } from 'react'
import type { Log } from '../../state/log.ts'
import type { Row } from '../../state/rows.ts'

/** Brings a message into sight, fetching what lies between; the row that it is in. */
export function useShown(
  target: number | undefined,
  rows: readonly Row[],
  { messages, more }: Log,
  older: () => void,
  scrollTo: (at: number) => void,
): number | undefined {
  const at = target === undefined ? undefined : rowOf(rows, target)
  const shown = useRef<number>(undefined)
  const first = messages[0]?.seq ?? 0
  const now = useRef(scrollTo)
  now.current = scrollTo
  useEffect(() => {
    if (target === undefined) shown.current = undefined
    if (target === undefined || shown.current === target) return
    if (target < first && more) older()
    else if (at !== undefined) {
      shown.current = target
      requestAnimationFrame(() => now.current(at))
    }
  }, [target, at, first, more, older])
  return at
}

/** What was done without a word stands in the row of the words above it. */
function rowOf(rows: readonly Row[], seq: number): number | undefined {
  const at = rows.findLastIndex(
    (row) =>
      (row.kind === 'said' && row.message.seq <= seq) || (row.kind === 'spoken' && row.spoken.message.seq <= seq),
  )
  return at < 0 ? undefined : at
}
