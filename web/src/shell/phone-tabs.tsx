import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../parts/icon.tsx'
import { needsMe, useInbox } from '../state/inbox.ts'
import { shell } from './shell-state.ts'

/** On a phone: five places at the bottom instead of the sidebar. */
export function PhoneTabs(): ReactNode {
  const count = useInbox().value?.filter(needsMe).length ?? 0
  return (
    <nav className="phone-tabs" aria-label="Places">
      <Link to="/inbox" activeProps={{ className: 'on' }}>
        <Icon name="inbox" />
        <span>Needs me</span>
        {count > 0 && <span className="count ask">{count}</span>}
      </Link>
      <Link to="/" activeOptions={{ exact: true }} activeProps={{ className: 'on' }}>
        <Icon name="home" />
        <span>Home</span>
      </Link>
      <Link to="/runs" activeProps={{ className: 'on' }}>
        <Icon name="board" />
        <span>Runs</span>
      </Link>
      <Link to="/tasks" activeProps={{ className: 'on' }}>
        <Icon name="tasks" />
        <span>Tasks</span>
      </Link>
      <button type="button" onClick={() => shell.open('palette')}>
        <Icon name="search" />
        <span>More</span>
      </button>
    </nav>
  )
}
