import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { money } from '../../parts/figures.tsx'
import { needsMe, useInbox } from '../../state/inbox.ts'
import { useBudgets, useStatus } from '../../state/money.ts'
import { useAtWork, working as workingOf } from './at-work.ts'

/** The whole state in one sentence. */
export function Lead(): ReactNode {
  const asks = useInbox().value?.filter(needsMe).length ?? 0
  const working = workingOf(useAtWork())
  const status = useStatus().value
  const limit = useBudgets().value?.dailyCostUsd
  return (
    <p className="home-lead num">
      <Link to="/inbox">
        {asks === 0 ? 'Nothing needs you' : asks === 1 ? '1 thing needs you' : `${asks} things need you`}
      </Link>
      <span className="mute">, </span>
      <Link to="/tasks">
        {working === 0 ? 'nothing is working' : working === 1 ? '1 is working' : `${working} are working`}
      </Link>
      {status && (
        <>
          <span className="mute">, </span>
          <Link to="/cost">{money(status.costTodayUsd, status.unpricedTokensToday)} spent today</Link>
          {typeof limit === 'number' && <span className="mute"> of {money(limit)}</span>}
        </>
      )}
    </p>
  )
}
