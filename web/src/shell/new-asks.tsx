import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { keepToasts, toast } from '../parts/toasts.tsx'
import { needsMe, useInbox } from '../state/inbox.ts'
import { callIn } from '../state/item-gist.ts'
import { useSenders } from '../state/sender.ts'
import { ring } from './ring.ts'

/** More than these at once are told as one. */
const EACH = 2
/** Until the view has drawn what is new in it; what was answered by then is told to nobody. */
const DRAWN_MS = 400

/** Tells of what begins to wait for the person while they look at something else. It draws nothing itself. */
export function NewAsks(): ReactNode {
  const open = useInbox().value
  const before = useRef<ReadonlySet<string>>(undefined)
  const go = useNavigate()
  const senderOf = useSenders()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another inbox is news
  useEffect(() => {
    if (open === undefined) return
    const asks = open.filter(needsMe)
    const ids = new Set<string>(asks.map(({ id }) => id))
    const fresh = before.current ? asks.filter(({ id }) => !before.current!.has(id)) : []
    before.current = ids
    keepToasts((about) => ids.has(about))
    if (fresh.length > 0) setTimeout(tell, DRAWN_MS, fresh)
  }, [open])

  function tell(fresh: readonly InboxItem[]): void {
    const still = fresh.filter(({ id }) => before.current?.has(id))
    const unseen = document.hidden ? still : still.filter((item) => !isShown(item))
    if (unseen.length === 0) return
    ring()
    const [first] = unseen
    const to = (search: { item?: string }) => () => void go({ to: '/inbox', search: search as never })
    if (unseen.length > EACH) {
      const text = `${unseen.length} things began to wait for you`
      toast({ tone: 'ask', text, about: first!.id, action: { label: 'Inbox', act: to({}) } })
    } else
      for (const item of unseen)
        toast({
          tone: 'ask',
          text: inOneLine(item),
          about: item.id,
          action: { label: 'Answer', act: to({ item: item.id }) },
        })
  }

  const inOneLine = (item: InboxItem): string =>
    `${senderOf(item).name} ${item.kind === 'approval' ? 'needs approval' : 'asks'}: ${callIn(item) ?? item.title}`

  return null
}

/** It can be answered where the person looks: in place, or on the board of its run. */
const isShown = ({ id, lineage }: InboxItem): boolean =>
  document.querySelector(`.content [data-item="${id}"]`) !== null ||
  lineage.some((step) => step.kind === 'run' && location.pathname.startsWith(`/runs/${step.id}`))
