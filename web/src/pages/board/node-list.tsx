import type { ReactNode } from 'react'
import type { Node, Stage } from '../../../../src/contract/runs.ts'
import { duration } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { Avatar } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { stageLine, standingOfStage } from './stages.tsx'
import { type BoardView, costIn, sentenceOf, standingIn, tookOf } from './view.ts'

/** The nodes as a table, by stage; children below their parents. */
export function NodeList({
  view,
  chosen,
  choose,
}: {
  view: BoardView
  chosen: string | undefined
  choose: (node: string | undefined) => void
}): ReactNode {
  const groups = byStage(view)
  const order = groups.flatMap(({ rows }) => rows.map(({ node }) => node.id))
  const step = (by: number) => () => {
    const at = chosen === undefined ? -1 : order.indexOf(chosen as Node['id'])
    const next = order[Math.max(0, Math.min(order.length - 1, at + by))]
    if (next === undefined) return
    choose(next)
    requestAnimationFrame(() => document.getElementById(next)?.scrollIntoView({ block: 'nearest' }))
  }
  const leave = () => choose(undefined)
  useKeys({
    j: step(1),
    k: step(-1),
    ArrowDown: step(1),
    ArrowUp: step(-1),
    ...(chosen !== undefined && { Escape: leave }),
  })
  return (
    <div className="node-list">
      <table className="table">
        <thead>
          <tr>
            <th>Node</th>
            <th className="c-worker">Worker</th>
            <th className="c-now">Now</th>
            <th className="c-time r">Time</th>
            <th className="c-cost r">Cost</th>
          </tr>
        </thead>
        {groups.map(({ stage, rows }) => (
          <tbody key={stage?.id ?? 'none'}>
            {(stage || groups.length > 1) && (
              <tr className="stage-row">
                <th colSpan={5} scope="rowgroup">
                  {stage ? (
                    <span className="cell">
                      <Glyph standing={standingOfStage(stage)} />
                      <b className="med">{stage.name}</b>
                      <span className="mute">
                        {stageLine(
                          view,
                          stage,
                          rows.map(({ node }) => node),
                        )}
                      </span>
                    </span>
                  ) : (
                    <span className="mute">of no stage</span>
                  )}
                </th>
              </tr>
            )}
            {rows.map(({ node, depth }) => (
              <Row key={node.id} view={view} node={node} depth={depth} on={node.id === chosen} choose={choose} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

function Row({
  view,
  node,
  depth,
  on,
  choose,
}: {
  view: BoardView
  node: Node
  depth: number
  on: boolean
  choose: (node: string) => void
}): ReactNode {
  const standing = standingIn(view, node)
  const took = tookOf(view, node)
  const sentence = sentenceOf(view, node)
  return (
    // The title is a button; the rest of the row is a larger target for it.
    <tr id={node.id} className={on ? 'on' : ''} onClick={() => choose(node.id)}>
      <td>
        <span className="cell" style={{ paddingLeft: depth * 20 }}>
          <Glyph standing={standing} />
          <button type="button" className="cut node-title" title={node.title} aria-pressed={on}>
            {node.title}
          </button>
        </span>
        <span className={`row-sub state ${standing.tone}`}>{sentence}</span>
      </td>
      <td className="c-worker">
        {node.worker === undefined ? (
          <span className="mute">no worker yet</span>
        ) : (
          <span className="cell">
            <Avatar name={node.worker} small />
            <span className="cut">{node.worker}</span>
          </span>
        )}
      </td>
      <td className="c-now">
        <span className={`state ${standing.tone}`} title={sentence}>
          {sentence}
        </span>
      </td>
      <td className="c-time r">{took === undefined ? '–' : duration(took)}</td>
      <td className="c-cost r">{costIn(view, node)}</td>
    </tr>
  )
}

interface StageRows {
  readonly stage: Stage | undefined
  readonly rows: readonly { readonly node: Node; readonly depth: number }[]
}

/** The stages in their order, with what belongs to none at the end. */
function byStage({ board: { nodes, stages } }: BoardView): readonly StageRows[] {
  return [...stages, undefined]
    .map((stage) => {
      const own = nodes.filter(({ stageId }) => stageId === stage?.id)
      const here = new Set<string>(own.map(({ id }) => id))
      const below = (node: Node, depth: number): { node: Node; depth: number }[] => [
        { node, depth },
        ...own.filter(({ parentNodeId }) => parentNodeId === node.id).flatMap((child) => below(child, depth + 1)),
      ]
      const tops = own.filter(({ parentNodeId }) => parentNodeId === undefined || !here.has(parentNodeId))
      return { stage, rows: tops.flatMap((node) => below(node, 0)) }
    })
    .filter(({ rows }) => rows.length > 0)
}
