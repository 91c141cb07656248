import type { ReactNode } from 'react'
import { clockSeconds } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { mailPath } from './edges.tsx'
import { type Layout, NODE, type Place } from './layout.ts'
import type { Travelling } from './travelling.ts'

/** Messages that travel between nodes. Each rests beside its way until it was read. */
export function Mails({
  mails,
  layout,
  room,
}: {
  mails: readonly Travelling[]
  layout: Layout
  /** How wide the canvas is, in the board's own measure. */
  room: number
}): ReactNode {
  return (
    <div className="mails" aria-live="polite">
      {mails.map((mail) => {
        const [from, to] = [layout.places.get(mail.from ?? ''), layout.places.get(mail.to ?? '')]
        const near = to ?? from
        if (near === undefined) return null
        const d = from && to && from !== to ? mailPath(from, to) : undefined
        return (
          <div key={mail.id}>
            {d && (
              <>
                <svg className="edges" width={layout.width} height={layout.height} aria-hidden="true">
                  <path className="mailed" d={d} pathLength={1} />
                </svg>
                <i className="pulse" style={{ offsetPath: `path("${d}")` }} />
              </>
            )}
            <Said mail={mail} place={besides(near, from, to, Math.max(room, layout.width))} />
          </div>
        )
      })}
    </div>
  )
}

function Said({ mail: { who, whom, at, text, more }, place }: { mail: Travelling; place: { x: number; y: number } }) {
  const time = clockSeconds(at)
  return (
    <div className="said" style={{ transform: `translate(${place.x}px, ${place.y}px)` }}>
      <span className="h">
        <span className="cut">{who}</span>
        <Icon name="arrow" small />
        <span className="cut">{whom}</span>
        <span className="right num">{time}</span>
      </span>
      <span className="said-text">{text}</span>
      {more > 0 && <span className="tiny mute"> and {more} more</span>}
    </div>
  )
}

/** To the right of the way, where no node is on most boards; to its left where no room is. */
function besides(near: Place, from: Place | undefined, to: Place | undefined, room: number) {
  const y = from && to ? (from.y + to.y) / 2 : near.y
  const right = Math.max(from?.x ?? 0, to?.x ?? 0, near.x) + NODE.width + 40
  return { x: right + NODE.width <= room ? right : Math.max(8, near.x - NODE.width - 40), y }
}
