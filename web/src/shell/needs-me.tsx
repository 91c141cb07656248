import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Age } from '../parts/figures.tsx'
import { Glyph, Icon } from '../parts/icon.tsx'
import { byUrgency, needsMe, useInbox } from '../state/inbox.ts'
import { standings } from '../state/standing.ts'

const SHOWN = 3

/** On top of everything: what goes on when the person answers. */
export function NeedsMe(): ReactNode {
  const items = (useInbox().value ?? []).filter(needsMe).toSorted(byUrgency)
  const more = items.length - SHOWN
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
      {items.slice(0, SHOWN).map(({ id, from, title, createdAt }) => (
        <Link key={id} className="nav" to="/inbox" search={{ item: id }} title={title}>
          <Glyph standing={standings.asks} />
          <span className="cut">
            {from.agent}: {title}
          </span>
          <span className="age">
            <Age since={createdAt} />
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
