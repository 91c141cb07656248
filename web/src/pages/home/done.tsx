import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { clock, money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { useRuns } from '../../state/runs.ts'
import { standingOfRun } from '../../state/standing.ts'
import { Head } from './head.tsx'

const SHOWN = 5

/** The runs that ended last, and how. */
export function DoneLately(): ReactNode {
  const done = (useRuns().value ?? [])
    .filter(({ endedAt }) => endedAt !== undefined)
    .toSorted((a, b) => b.endedAt!.localeCompare(a.endedAt!))
    .slice(0, SHOWN)
  if (done.length === 0) return null
  return (
    <section aria-label="Done lately">
      <Head title="Done lately" to="/runs" more="All runs" keys={['g', 'b']} />
      <div className="card home-lines">
        {done.map((run) => (
          <Link key={run.id} className="li" to="/runs/$run" params={{ run: run.id }} title={run.summary ?? run.goal}>
            <Glyph standing={standingOfRun(run)} />
            <span className="cut grow">{run.title}</span>
            <span className="small mute num">{clock(run.endedAt!)}</span>
            <span className="small mute num cost">{money(run.costUsd, run.unpricedTokens)}</span>
          </Link>
        ))}
      </div>
    </section>
  )
}
