import { memo, type ReactNode } from 'react'
import type { Board } from '../../../../src/contract/runs.ts'
import { type Layout, NODE, type Place } from './layout.ts'

/** The lines between nodes. Those of the chosen node are brighter and lie on top. */
export const Edges = memo(function Edges({
  board,
  layout,
  chosen,
}: {
  board: Board
  layout: Layout
  chosen: string | undefined
}): ReactNode {
  const states = new Map(board.nodes.map(({ id, status }) => [id as string, status]))
  const depends = new Set(board.edges.filter(({ kind }) => kind === 'depends').map(({ from, to }) => `${from} ${to}`))
  const lines = board.edges
    // What is depended on is built on too; one line says both.
    .filter(({ kind, from, to }) => kind !== 'ref' || !depends.has(`${from} ${to}`))
    .flatMap(({ from, to, kind }) => {
      const [start, end] = [layout.places.get(from), layout.places.get(to)]
      if (start === undefined || end === undefined) return []
      const hot = from === chosen || to === chosen
      const broken = kind === 'depends' && states.get(from) === 'failed'
      const d = kind === 'parent' ? childPath(start, end) : pathBetween(start, end)
      const look = [kind === 'parent' ? 'child' : kind, hot && 'hot', broken && 'broken'].filter(Boolean).join(' ')
      return [{ key: `${kind} ${from} ${to}`, d, look, hot }]
    })
  return (
    <svg className="edges" width={layout.width} height={layout.height} aria-hidden="true">
      {lines
        .toSorted((a, b) => Number(a.hot) - Number(b.hot))
        .map(({ key, d, look }) => (
          <path key={key} className={look} d={d} />
        ))}
    </svg>
  )
})

const middle = ({ y }: Place): number => y + NODE.height / 2

/** From the right side of one node to the left side of another. */
export function pathBetween(from: Place, to: Place): string {
  const [x1, y1, x2, y2] = [from.x + from.width, middle(from), to.x, middle(to)]
  if (x2 > x1 && y1 === y2) return `M${x1} ${y1}H${x2}`
  const bend = x2 > x1 ? Math.max(20, Math.min((x2 - x1) / 2, 60)) : 60
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

/** From below a node to what was made for it. */
function childPath(parent: Place, child: Place): string {
  if (child.x > parent.x + parent.width) return pathBetween(parent, child)
  const x = parent.x + 12
  return `M${x} ${parent.y + NODE.height}V${middle(child)}H${child.x}`
}

/** The way of a message: an arc beside the column, or straight across. */
export function mailPath(from: Place, to: Place): string {
  if (Math.abs(from.x - to.x) > NODE.width) {
    const [left, right, d] = from.x < to.x ? [from, to, 1] : [to, from, -1]
    const [a, b] = [
      { x: left.x + left.width, y: middle(left) - 12 },
      { x: right.x, y: middle(right) - 12 },
    ]
    const [start, end] = d === 1 ? [a, b] : [b, a]
    const bend = 30 * d
    return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
  }
  const [x1, x2] = [from.x + from.width, to.x + to.width]
  const out = Math.max(x1, x2) + 34
  return `M${x1} ${middle(from)}C${out} ${middle(from)} ${out} ${middle(to)} ${x2} ${middle(to)}`
}
