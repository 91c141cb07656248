import type { ReactNode } from 'react'
import type { Cost } from '../../../../src/contract/cost.ts'
import { money, tokens } from '../../parts/figures.tsx'
import { dayName, sum } from '../../state/costs.ts'

const TICKS = 4

/** One bar for each day. */
export function Chart({ days }: { days: readonly Cost[] }): ReactNode {
  const top = niceTop(Math.max(...days.map(({ costUsd }) => costUsd)))
  const total = sum(days)
  const every = days.length > 16 ? 5 : 1
  return (
    <figure className="cost-chart" aria-label={`${money(total.costUsd, total.unpricedTokens)} in ${days.length} days`}>
      <figcaption className="strong">By day</figcaption>
      <div className="cost-plot">
        {Array.from({ length: TICKS + 1 }, (_, at) => (
          <span key={at} className="cost-line" style={{ bottom: `${(100 * at) / TICKS}%` }}>
            <span className="num">{money((top * at) / TICKS)}</span>
          </span>
        ))}
        <ol className="cost-bars">
          {days.map(({ key, costUsd, unpricedTokens, tokens: used }, at) => (
            <li
              key={key}
              className={at === days.length - 1 ? 'now' : ''}
              title={`${dayName(key)}: ${money(costUsd, unpricedTokens)}, ${tokens(used.input)} in, ${tokens(used.output)} out`}
            >
              <span className="cost-value num">
                {costUsd > 0 && days.length <= 16 ? costUsd.toFixed(2) : unpricedTokens > 0 ? '?' : ''}
              </span>
              {costUsd > 0 && <i style={{ height: `${(100 * costUsd) / top}%` }} />}
              <span className="sr">
                {dayName(key)}: {money(costUsd, unpricedTokens)}
              </span>
            </li>
          ))}
        </ol>
      </div>
      <div className="cost-days num" aria-hidden="true">
        {days.map(({ key }, at) => (
          <span key={key}>{(days.length - 1 - at) % every === 0 ? dayName(key) : ''}</span>
        ))}
      </div>
    </figure>
  )
}

/** The end of the scale: a round number above the highest bar. */
function niceTop(most: number): number {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 4, 8, 10].map((step) => step * power).find((end) => end >= most)!
}
