import { memo, type ReactNode } from 'react'
import { Glyph } from '../../parts/icon.tsx'
import { Avatar } from '../../parts/small.tsx'
import type { Standing } from '../../state/standing.ts'
import type { Place } from './layout.ts'

/** A node on the board: state, title, one live sentence, worker, cost. */
export const NodeCard = memo(function NodeCard({
  id,
  title,
  standing,
  sentence,
  worker,
  cost,
  place,
  selected,
  focusable,
  select,
}: {
  id: string
  title: string
  standing: Standing
  sentence: string
  worker: string | undefined
  cost: string
  place: Place
  selected: boolean
  /** One node at a time is reached with Tab; the arrow keys lead to the others. */
  focusable: boolean
  select: (id: string) => void
}): ReactNode {
  return (
    <button
      type="button"
      id={id}
      className={`node ${looks[standing.shape] ?? ''}${selected ? ' sel' : ''}`}
      style={{ transform: `translate(${place.x}px, ${place.y}px)`, width: place.width }}
      aria-pressed={selected}
      tabIndex={focusable ? 0 : -1}
      title={title}
      onClick={() => select(id)}
    >
      <span className="t">
        <Glyph standing={standing} />
        <span className="two-lines">{title}</span>
      </span>
      <span className="sub">{sentence}</span>
      <span className={`f${worker === undefined ? ' mute' : ''}`}>
        {worker === undefined ? (
          'no worker yet'
        ) : (
          <>
            <Avatar name={worker} small />
            <span className="cut">{worker}</span>
          </>
        )}
        <span className="right">{cost}</span>
      </span>
    </button>
  )
})

const looks: Readonly<Partial<Record<Standing['shape'], string>>> = {
  working: 'work',
  asks: 'ask',
  failed: 'bad',
  blocked: 'bad dashed',
  pending: 'wait',
  canceled: 'off',
}
