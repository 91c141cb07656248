import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import type { Log } from '../../state/log.ts'
import { markRead } from '../../state/session-acts.ts'

const READ_MS = 600

/** It begins at the end, and stays there when a dock below takes some of its height. */
export function useKeptAtEnd(box: RefObject<HTMLDivElement | null>, end: boolean, toEnd: () => void): void {
  const now = useRef({ end, toEnd })
  now.current = { end, toEnd }
  useEffect(() => {
    if (box.current === null) return
    const watch = new ResizeObserver(() => {
      if (now.current.end) requestAnimationFrame(() => now.current.toEnd())
    })
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [box])
}

/** How many messages came since the person saw the end; what they see is marked as read. */
export function useUnseen(session: Session, log: Log, end: boolean): number {
  const newest = log.messages.at(-1)?.seq ?? 0
  const [seen, setSeen] = useState(newest)
  useEffect(() => {
    if (!end) return
    setSeen(newest)
    if (newest <= session.readSeq) return
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void markRead(session.id, newest)
    }, READ_MS)
    return () => clearTimeout(timer)
  }, [end, newest, session.id, session.readSeq])
  return log.messages.filter(({ seq, role }) => seq > seen && role !== 'tool').length
}
