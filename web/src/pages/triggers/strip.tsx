import type { ReactNode } from 'react'
import { clockWhole } from '../../parts/figures.tsx'
import type { Entry } from '../../state/ledger.ts'

const SHOWN = 12

const looks = { fired: '', caught_up: 'c', coalesced: 'k', skipped: 'k', missed: 'm' } as const
const words = {
  fired: 'fired',
  caught_up: 'caught up',
  coalesced: 'skipped',
  skipped: 'skipped',
  missed: 'missed',
} as const

export const outcomeWord = (outcome: Entry['outcome']): string => words[outcome]

/** The last outcomes of one trigger, a mark each. */
export function Strip({ entries }: { entries: readonly Entry[] }): ReactNode {
  const last = entries.slice(-SHOWN)
  if (last.length === 0) return <span className="mute small">not yet</span>
  return (
    <span className="trig-strip" role="img" aria-label={last.map(({ outcome }) => words[outcome]).join(', ')}>
      {last.map(({ seq, outcome, due, reason }) => (
        <i
          key={seq}
          className={looks[outcome]}
          title={[clockWhole(due), words[outcome], reason].filter(Boolean).join(', ')}
        />
      ))}
    </span>
  )
}

export function Legend(): ReactNode {
  return (
    <span className="trig-legend">
      {(['fired', 'caught_up', 'skipped', 'missed'] as const).map((outcome) => (
        <span key={outcome}>
          <span className="trig-strip">
            <i className={looks[outcome]} />
          </span>
          {words[outcome]}
        </span>
      ))}
    </span>
  )
}
