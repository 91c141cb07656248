import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Cost } from '../../../../src/contract/cost.ts'
import { now } from '../../live/clock.ts'
import { money } from '../../parts/figures.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { day, dayName, everyDay, sum, useCosts } from '../../state/costs.ts'
import { forecast } from '../../state/forecast.ts'
import { useBudgets } from '../../state/money.ts'
import { Head } from './head.tsx'

const DAYS = 14
const AGENTS = 3
const HEIGHT = 60

/** Today, of what limit, the last two weeks, and who spent it. */
export function Spent(): ReactNode {
  const { value, failure, refresh } = useCosts('day', day(DAYS - 1))
  const agents = (useCosts('agent', day()).value ?? []).toSorted((a, b) => b.costUsd - a.costUsd)
  const limit = useBudgets().value?.dailyCostUsd
  const others = agents.slice(AGENTS)
  if (value === undefined)
    return (
      <section aria-label="Cost">
        <Head title="Cost" to="/cost" more="By agent, run, model" />
        {failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={4} />}
      </section>
    )
  const days = everyDay(value, DAYS)
  const today = days.at(-1)!
  const expected = forecast(days, new Date(now()))
  return (
    <section aria-label="Cost">
      <Head title="Cost" to="/cost" more="By agent, run, model" />
      <Link className="card home-spent" to="/cost">
        <span className="sum num">
          <b>{money(today.costUsd, today.unpricedTokens)}</b>
          <span className="mute">{typeof limit === 'number' ? `of ${money(limit)} today` : 'today, no limit'}</span>
          {expected !== undefined && (
            <span className="small mute forecast" title="If the rest of the day goes like the days before">
              about {money(expected)} by midnight
            </span>
          )}
        </span>
        <Bars days={days} />
        <span className="home-kv">
          {agents.slice(0, AGENTS).map(({ key, costUsd, unpricedTokens }) => (
            <Fragment key={key}>
              <span className="cut">{key}</span>
              <span>{money(costUsd, unpricedTokens)}</span>
            </Fragment>
          ))}
          {others.length > 0 && (
            <>
              <span className="mute">
                {others.length} {others.length === 1 ? 'other' : 'others'}
              </span>
              <span className="mute">{money(sum(others).costUsd, sum(others).unpricedTokens)}</span>
            </>
          )}
        </span>
      </Link>
    </section>
  )
}

function Bars({ days }: { days: readonly Cost[] }): ReactNode {
  const most = Math.max(...days.map(({ costUsd }) => costUsd), 0.000_001)
  const total = sum(days)
  return (
    <span className="home-bars" role="img" aria-label={`${money(total.costUsd, total.unpricedTokens)} in ${DAYS} days`}>
      {days.map(({ key, costUsd, unpricedTokens }, at) => (
        <i
          key={key}
          className={at === days.length - 1 ? 'now' : ''}
          title={`${dayName(key)}: ${money(costUsd, unpricedTokens)}`}
          style={{ height: Math.max(2, Math.round((HEIGHT * costUsd) / most)) }}
        />
      ))}
      <span>{dayName(days[0]!.key)}</span>
      <span>{dayName(days[Math.floor(days.length / 2)]!.key)}</span>
      <span>today</span>
    </span>
  )
}
