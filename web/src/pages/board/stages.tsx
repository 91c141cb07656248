import type { ReactNode } from 'react'
import type { Node, Stage } from '../../../../src/contract/runs.ts'
import { duration, money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { type Standing, standings } from '../../state/standing.ts'
import type { ColumnGroup } from './layout.ts'
import type { BoardView } from './view.ts'

/** The heads of the columns stay at the top while the board scrolls below them. */
export function StageHeads({
  view,
  columns,
  zoom,
}: {
  view: BoardView
  columns: readonly ColumnGroup[]
  zoom: number
}): ReactNode {
  if (!columns.some(({ stage }) => stage)) return null
  return (
    <div className="stage-heads">
      {columns.map(({ stage, x, width, nodes }) => (
        <div key={stage?.id ?? `beside ${x}`} className="stage-h" style={{ left: x * zoom, width: width * zoom }}>
          {stage ? (
            <>
              <h2>
                <Glyph standing={standingOfStage(stage)} />
                <span className="cut" title={stage.name}>
                  {stage.name}
                </span>
              </h2>
              <p className="cut">{stageLine(view, stage, nodes)}</p>
            </>
          ) : (
            <p className="cut lone">of no stage</p>
          )}
        </div>
      ))}
    </div>
  )
}

export function StageLines({ columns, zoom }: { columns: readonly ColumnGroup[]; zoom: number }): ReactNode {
  return columns.slice(1).map(({ x }) => <i key={x} className="stage-line" style={{ left: (x - 4) * zoom }} />)
}

export const standingOfStage = ({ status }: Stage): Standing =>
  status === 'completed' ? standings.done : { ...standings.working, word: status }

/** How it stands, for how long, and what it cost. */
export function stageLine(view: BoardView, stage: Stage, nodes: readonly Node[]): string {
  const { startedAt, endedAt, status, checkpointPolicy } = stage
  const took = duration((endedAt === undefined ? view.now : Date.parse(endedAt)) - Date.parse(startedAt))
  const all = nodes.map(({ id }) => view.spent.get(id)).filter((spent) => spent !== undefined)
  const sum = (of: 'usd' | 'unpriced') => all.reduce((total, spent) => total + spent[of], 0)
  const cost = money(sum('usd'), sum('unpriced'))
  return [status, status === 'running' ? untils[checkpointPolicy](nodes.length) : took, cost].join(' · ')
}

const untils: Record<Stage['checkpointPolicy'], (nodes: number) => string> = {
  all: (nodes) => (nodes === 1 ? 'until it ends' : `until all ${nodes} end`),
  majority: (nodes) => `until most of ${nodes} are done`,
  any: () => 'until one is done',
}
