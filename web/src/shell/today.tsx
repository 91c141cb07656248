import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { money } from '../parts/figures.tsx'
import { useBudgets, useStatus } from '../state/money.ts'

/** On a phone, which has no sidebar: what today cost, and of what. */
export function TodayOnPhone(): ReactNode {
  const status = useStatus().value
  const limit = useBudgets().value?.dailyCostUsd
  if (status === undefined) return null
  return (
    <Link className="phone-only phone-today num" to="/cost" title="What today cost">
      {money(status.costTodayUsd, status.unpricedTokensToday)}
      {typeof limit === 'number' && ` of ${money(limit)}`}
    </Link>
  )
}
