import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { usePan, useWindow, useZoom } from './canvas.ts'
import { Edges } from './edges.tsx'
import { HEAD, type Layout, layoutOf, NODE } from './layout.ts'
import { Mails } from './mails.tsx'
import { NodeCard } from './node-card.tsx'
import { StageHeads, StageLines } from './stages.tsx'
import type { Travelling } from './travelling.ts'
import { type BoardView, costIn, sentenceOf, standingIn } from './view.ts'

/** More nodes than this are drawn only where one looks. */
const ALL = 400

/** The board as a graph. It scrolls as any page does; dragging moves it too. */
export function Graph({
  view,
  chosen,
  choose,
  mails,
}: {
  view: BoardView
  chosen: string | undefined
  choose: (node: string | undefined) => void
  mails: readonly Travelling[]
}): ReactNode {
  const { nodes, stages } = view.board
  const shape = nodes.map(({ id, stageId, dependsOn, parentNodeId }) => [id, stageId, dependsOn, parentNodeId].join())
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what leads where matters, not how it stands
  const layout = useMemo(() => layoutOf({ nodes, stages }), [shape.join(' '), stages.length])
  const canvas = useRef<HTMLElement>(null)
  const { zoom, setZoom, fit } = useZoom(canvas, layout)
  const shown = useWindow(canvas, zoom, nodes.length > ALL)
  usePan(canvas)
  useArrows(view, layout, chosen, choose)
  useReveal(canvas, layout, chosen, zoom)
  const seen = nodes.filter(({ id }) => {
    const place = layout.places.get(id)
    return place !== undefined && (shown === undefined || isWithin(place, shown))
  })
  const reachable = chosen && layout.places.has(chosen) ? chosen : nodes[0]?.id
  return (
    <section className="graph" aria-label="Board">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
      <section className="canvas" ref={canvas} aria-label="Nodes" tabIndex={0}>
        <div className="canvas-size" style={{ width: layout.width * zoom, height: layout.height * zoom + HEAD }}>
          <StageHeads view={view} columns={layout.columns} zoom={zoom} />
          <StageLines columns={layout.columns} zoom={zoom} />
          <div
            className="canvas-world"
            style={{ transform: `scale(${zoom})`, width: layout.width, height: layout.height }}
          >
            <Edges board={view.board} layout={layout} chosen={chosen} />
            {seen.map((node) => (
              <NodeCard
                key={node.id}
                id={node.id}
                title={node.title}
                standing={standingIn(view, node)}
                sentence={sentenceOf(view, node)}
                worker={node.worker}
                cost={costIn(view, node)}
                place={layout.places.get(node.id)!}
                selected={node.id === chosen}
                focusable={node.id === reachable}
                select={choose}
              />
            ))}
            <Mails mails={mails} layout={layout} room={(canvas.current?.clientWidth ?? 0) / zoom} />
          </div>
        </div>
      </section>
      <div className="tray">
        <div className="group">
          <Button small icon="minus" aria-label="Zoom out" onClick={() => setZoom(zoom / 1.25)} />
          <Button
            small
            className="num"
            aria-label={`${Math.round(zoom * 100)} %, back to 100 %`}
            onClick={() => setZoom(1)}
          >
            {Math.round(zoom * 100)}%
          </Button>
          <Button small icon="plus" aria-label="Zoom in" onClick={() => setZoom(zoom * 1.25)} />
          <Button small icon="fit" aria-label="Fit" onClick={fit} />
        </div>
      </div>
      <Legend />
    </section>
  )
}

const isWithin = ({ x, y }: { x: number; y: number }, shown: DOMRectReadOnly): boolean =>
  x + NODE.width > shown.left && x < shown.right && y + NODE.height > shown.top && y < shown.bottom

function Legend(): ReactNode {
  return (
    <div className="legend" aria-hidden="true">
      <span>
        <i className="line" />
        depends on
      </span>
      <span>
        <i className="line child" />
        child of
      </span>
      <span className="mailed">
        <Icon name="message" small />
        message
      </span>
    </div>
  )
}

/** The arrow keys lead along the edges, and up and down within a column. */
function useArrows(
  view: BoardView,
  layout: Layout,
  chosen: string | undefined,
  choose: (node: string | undefined) => void,
): void {
  const go = (way: Way) => () => {
    const next = neighbour(view, layout, chosen, way)
    if (next === undefined) return
    choose(next)
    requestAnimationFrame(() => document.getElementById(next)?.focus({ preventScroll: true }))
  }
  const leave = () => choose(undefined)
  useKeys({
    ArrowRight: go('right'),
    ArrowLeft: go('left'),
    ArrowUp: go('up'),
    ArrowDown: go('down'),
    ...(chosen !== undefined && { Escape: leave }),
  })
}

type Way = 'right' | 'left' | 'up' | 'down'

function neighbour({ board }: BoardView, { places }: Layout, chosen: string | undefined, way: Way): string | undefined {
  const from = places.get(chosen ?? '')
  if (from === undefined) return board.nodes[0]?.id
  const others = [...places]
    .filter(([id]) => id !== chosen)
    .map(([id, at]) => ({ id, dx: at.x - from.x, dy: at.y - from.y }))
  const side = (dx: number) => Math.abs(dx) < NODE.width
  if (way === 'up') return others.filter(({ dx, dy }) => side(dx) && dy < 0).toSorted((a, b) => b.dy - a.dy)[0]?.id
  if (way === 'down') return others.filter(({ dx, dy }) => side(dx) && dy > 0).toSorted((a, b) => a.dy - b.dy)[0]?.id
  const forward = way === 'right' ? 1 : -1
  const joined = new Set(
    board.edges.flatMap(({ from: a, to: b }) =>
      way === 'right' ? (a === chosen ? [b] : []) : b === chosen ? [a] : [],
    ) as string[],
  )
  const ahead = others.filter(({ dx }) => dx * forward >= NODE.width)
  const along = ahead.filter(({ id }) => joined.has(id))
  const near = (one: { dx: number; dy: number }) => Math.abs(one.dx) * 2 + Math.abs(one.dy)
  return (along.length > 0 ? along : ahead).toSorted((a, b) => near(a) - near(b))[0]?.id
}

/** A node that is chosen comes into view. */
function useReveal(
  canvas: { readonly current: HTMLElement | null },
  { places }: Layout,
  chosen: string | undefined,
  zoom: number,
): void {
  const revealed = useRef<string>(undefined)
  useEffect(() => {
    const box = canvas.current
    const place = places.get(chosen ?? '')
    if (box === null || place === undefined || revealed.current === chosen) return
    revealed.current = chosen
    const [x, y] = [place.x * zoom, place.y * zoom + HEAD]
    const [w, h] = [NODE.width * zoom, NODE.height * zoom]
    if (x < box.scrollLeft + 16) box.scrollLeft = x - 16
    else if (x + w > box.scrollLeft + box.clientWidth - 16) box.scrollLeft = x + w - box.clientWidth + 16
    if (y < box.scrollTop + 60) box.scrollTop = y - 60
    else if (y + h > box.scrollTop + box.clientHeight - 48) box.scrollTop = y + h - box.clientHeight + 48
  }, [canvas, places, chosen, zoom])
}
