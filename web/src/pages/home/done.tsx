import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { clock, money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { useDoneTasks } from '../../state/done.ts'
import { useRuns } from '../../state/runs.ts'
import { type Standing, standingOfRun } from '../../state/standing.ts'
import { titleOfTask } from '../../state/tasks.ts'
import { standingOfTaskFor } from '../tasks/standing.ts'
import { Head } from './head.tsx'

const SHOWN = 6
const nobody: ReadonlySet<string> = new Set()

interface Done {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly about: string
  readonly standing: Standing
  readonly cost: string
  readonly to: { readonly to: string; readonly search?: { readonly task: string } }
}

/** The runs and tasks that ended last, and how. */
export function DoneLately(): ReactNode {
  const runs = (useRuns().value ?? []).flatMap((run): Done[] =>
    run.endedAt === undefined
      ? []
      : [
          {
            id: run.id,
            at: run.endedAt,
            title: run.title,
            about: run.summary ?? run.goal,
            standing: standingOfRun(run),
            cost: money(run.costUsd, run.unpricedTokens),
            to: { to: `/runs/${run.id}` },
          },
        ],
  )
  const tasks = (useDoneTasks().value ?? []).map(
    (task): Done => ({
      id: task.id,
      at: task.finishedAt ?? task.updatedAt,
      title: titleOfTask(task),
      about: `${task.agent} ${task.session}`,
      standing: standingOfTaskFor(task, nobody),
      cost: money(task.totalCostUsd, task.unpricedTokens),
      to: { to: '/tasks', search: { task: task.id } },
    }),
  )
  const done = [...runs, ...tasks].toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN)
  if (done.length === 0) return null
  return (
    <section aria-label="Done lately">
      <Head title="Done lately" to="/runs" more="All runs" keys={['g', 'b']} />
      <div className="card home-lines">
        {done.map(({ id, at, title, about, standing, cost, to }) => (
          <Link key={id} className="li" title={about} {...to}>
            <Glyph standing={standing} />
            <span className="cut grow">{title}</span>
            <span className="small mute num">{clock(at)}</span>
            <span className="small mute num cost">{cost}</span>
          </Link>
        ))}
      </div>
    </section>
  )
}
