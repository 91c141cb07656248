import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useConnection } from '../live/connection.ts'
import { money } from '../parts/figures.tsx'
import { Glyph, Icon } from '../parts/icon.tsx'
import { modKey } from '../parts/mod-key.ts'
import { Button } from '../parts/small.tsx'
import { useBudgets, useStatus } from '../state/money.ts'
import { standings } from '../state/standing.ts'
import { Mark } from './mark.tsx'
import { NeedsMe } from './needs-me.tsx'
import { Projects } from './projects.tsx'
import { shell } from './shell-state.ts'
import { switchTheme } from './theme.ts'

/** What needs the person, then what there is in each project. */
export function Sidebar(): ReactNode {
  return (
    <nav className="side" aria-label="Projects">
      <div className="side-top">
        <Mark />
        <span className="name grow">Troupe</span>
        <Button
          look="ghost"
          small
          icon="panel"
          aria-label="Hide the sidebar"
          onClick={() => shell.showSidebar(false)}
        />
      </div>
      <button type="button" className="field quiet side-find" onClick={() => shell.open('palette')}>
        <Icon name="search" small />
        <span className="grow mute">Search or jump</span>
        <span className="kbd bare">{modKey('K')}</span>
      </button>
      <div className="side-scroll">
        <Link className="nav" to="/" activeOptions={{ exact: true }} activeProps={{ className: 'nav on' }}>
          <Icon name="home" />
          Home
        </Link>
        <NeedsMe />
        <Projects />
      </div>
      <Foot />
    </nav>
  )
}

function Foot(): ReactNode {
  const { state } = useConnection()
  return (
    <div className="side-foot">
      <Today />
      <div className="side-icons">
        <span className="live">
          <Glyph standing={state === 'live' ? { ...standings.idle, word: 'connected' } : standings.waiting} />
          {state === 'live' ? 'Live' : 'Away'}
        </span>
        <span className="grow" />
        <Link className="btn ghost icon sm" to="/feed" aria-label="Feed">
          <Icon name="feed" />
        </Link>
        <Link className="btn ghost icon sm" to="/cost" aria-label="Cost">
          <Icon name="cost" />
        </Link>
        <Link className="btn ghost icon sm" to="/models" aria-label="Models and accounts">
          <Icon name="chip" />
        </Link>
        <Button look="ghost" small icon="sun" aria-label="Switch theme" onClick={switchTheme} />
        <Link className="btn ghost icon sm" to="/settings" aria-label="Settings">
          <Icon name="settings" />
        </Link>
      </div>
    </div>
  )
}

/** What today cost, and of what. */
function Today(): ReactNode {
  const status = useStatus().value
  const limit = useBudgets().value?.dailyCostUsd
  if (status === undefined) return null
  const { costTodayUsd, unpricedTokensToday } = status
  return (
    <Link className="side-cost num" to="/cost">
      <span className="flex">
        <span>
          <b className="med">{money(costTodayUsd, unpricedTokensToday)}</b> today
        </span>
        {typeof limit === 'number' && <span className="right mute">of {money(limit)}</span>}
      </span>
      {typeof limit === 'number' && (
        <span className="meter">
          <i style={{ width: `${Math.min(100, (100 * costTodayUsd) / limit)}%` }} />
        </span>
      )}
    </Link>
  )
}
