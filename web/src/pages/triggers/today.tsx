import type { ReactNode } from 'react'
import type { Trigger } from '../../../../src/contract/triggers.ts'
import { clock } from '../../parts/figures.tsx'
import { State } from '../../parts/icon.tsx'
import { day } from '../../state/costs.ts'
import type { Entry } from '../../state/ledger.ts'
import { standingOfFire } from '../../state/triggers.ts'
import { outcomeWord } from './strip.tsx'

const SHOWN = 40

/** Every time at which something was due today, over all triggers, the newest first. */
export function Today({
  entries,
  triggers,
  open,
}: {
  entries: readonly Entry[]
  triggers: readonly Trigger[]
  open(id: string): void
}): ReactNode {
  const begin = Date.parse(`${day()}T00:00:00`)
  const today = entries.filter(({ due }) => Date.parse(due) >= begin).toReversed()
  if (today.length === 0) return null
  const counts = Map.groupBy(today, ({ outcome }) => outcomeWord(outcome))
  const told = [...counts].map(([word, all]) => `${all.reduce((sum, { count }) => sum + count, 0)} ${word}`)
  return (
    <section className="trig-today" aria-label="Today, all triggers">
      <h2 className="tabs">
        <span className="strong">Today, all triggers</span>
        <span className="mute small">{told.join(', ')}</span>
      </h2>
      <table className="table">
        <colgroup>
          <col className="w-due" />
          <col className="w-outcome" />
          <col className="w-name" />
          <col />
        </colgroup>
        <thead className="sr">
          <tr>
            <th>Due</th>
            <th>Outcome</th>
            <th>Trigger</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {today.slice(0, SHOWN).map(({ seq, due, outcome, triggerId, reason, count }) => (
            <tr key={seq} onClick={() => open(triggerId)}>
              <td className="num soft">{clock(due)}</td>
              <td>
                <State standing={standingOfFire({ outcome } as never)} />
              </td>
              <td className="soft">
                <button type="button" className="cut">
                  {triggers.find(({ id }) => id === triggerId)?.name ?? 'deleted'}
                </button>
              </td>
              <td className="small soft">
                {reason}
                {count > 1 && ` (${count} times)`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
