import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { day } from '../../state/costs.ts'
import { useBudgets } from '../../state/money.ts'
import { standings } from '../../state/standing.ts'

const NEAR = 0.8

/** A limit of a day is named by its date; the one that counts now is today's. */
const inWords = (name: string): string => name.replace(` on ${day()}`, ', today')

/** The limits in money that count now. One that is reached pauses what needs more, and asks. */
export function Limits(): ReactNode {
  const budgets = useBudgets().value
  const items = (budgets?.items ?? []).toSorted((a, b) => b.spentUsd / b.limitUsd - a.spentUsd / a.limitUsd)
  return (
    <section className="cost-limits" aria-label="Limits">
      <div className="sec-h">
        Limits<span className="right">reached: pauses and asks you</span>
      </div>
      {budgets && items.length === 0 && (
        <p className="soft small">
          No limit counts right now.{' '}
          <Link className="link" to="/settings" search={{ q: 'cost' }}>
            Set one
          </Link>{' '}
          for each day, or give a run a budget when it starts.
        </p>
      )}
      {items.map(({ id, name, limitUsd, spentUsd, waiting, inboxId }) => {
        const share = Math.min(1, spentUsd / limitUsd)
        return (
          <div key={id} className="cost-limit num">
            <span className="cost-limit-of" title={name}>
              {inboxId && <Glyph standing={standings.asks} />}
              {inboxId ? (
                <Link className="link cut" to="/inbox" search={{ item: inboxId }}>
                  {inWords(name)}
                </Link>
              ) : (
                <span className="cut">{inWords(name)}</span>
              )}
              {waiting > 0 && <span className="mute small"> {waiting} wait</span>}
            </span>
            <span className={`meter${share >= NEAR ? ' ask' : ''}`}>
              <i style={{ width: `${100 * share}%` }} />
            </span>
            <span>
              {money(spentUsd)} of {money(limitUsd)}
            </span>
          </div>
        )
      })}
    </section>
  )
}
