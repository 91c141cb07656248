import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Age } from '../parts/figures.tsx'
import { Glyph, Icon } from '../parts/icon.tsx'
import { byUrgency, needsMe, useInbox } from '../state/inbox.ts'
import { callIn } from '../state/item-gist.ts'
import { useSenders } from '../state/sender.ts'
import { standings } from '../state/standing.ts'

const SHOWN = 3

/** On top of everything: what goes on when the person answers. */
export function NeedsMe(): ReactNode {
  const inbox = useInbox().value
  const items = (inbox ?? []).filter(needsMe).toSorted(byUrgency)
  const more = items.length - SHOWN
  const senderOf = useSenders()
  return (
    <section aria-label="Needs me" className="needs-me">
      <Link
        className="nav"
        to="/inbox"
        activeOptions={{ exact: true, includeSearch: true }}
        activeProps={{ className: 'nav on' }}
      >
        <Icon name="inbox" />
        <span className="med">Needs me</span>
        {items.length > 0 && <span className="count ask right">{items.length}</span>}
      </Link>
      {inbox !== undefined && items.length === 0 && <p className="side-none">Nothing right now.</p>}
      {items.slice(0, SHOWN).map((item) => (
        <Link key={item.id} className="nav" to="/inbox" search={{ item: item.id }} title={item.title}>
          <Glyph standing={standings.asks} />
          <span className="cut">
            {senderOf(item).name}: {callIn(item) ?? item.title}
          </span>
          <span className="age">
            <Age since={item.createdAt} />
          </span>
        </Link>
      ))}
      {more > 0 && (
        <Link className="nav" to="/inbox">
          <span className="no-glyph" />
          <span className="cut mute">{more} more in the inbox</span>
          <span className="age">g i</span>
        </Link>
      )}
    </section>
  )
}
