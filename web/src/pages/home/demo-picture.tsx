import type { ReactNode } from 'react'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { Avatar } from '../../parts/small.tsx'
import { type Standing, standings } from '../../state/standing.ts'

interface Drawn {
  readonly x: number
  readonly y: number
  readonly look: string
  readonly standing: Standing
  readonly title: string
  readonly sub: string
  readonly worker: string
}

const nodes: readonly Drawn[] = [
  { x: 24, y: 120, look: '', standing: standings.done, title: 'Write down what is wanted', sub: 'done', worker: 'ada' },
  {
    x: 250,
    y: 16,
    look: 'ask',
    standing: standings.asks,
    title: 'Look at the first way',
    sub: 'asks you',
    worker: 'ben',
  },
  {
    x: 250,
    y: 120,
    look: 'work',
    standing: standings.working,
    title: 'Look at the second way',
    sub: 'reads files',
    worker: 'ada',
  },
  {
    x: 250,
    y: 224,
    look: 'work',
    standing: standings.working,
    title: 'Look at the third way',
    sub: 'runs a command',
    worker: 'cyd',
  },
  { x: 476, y: 68, look: 'wait', standing: standings.pending, title: 'Recommend one', sub: 'pending', worker: 'ada' },
]

const edges = [
  'M196 160 C224 160 222 56 250 56',
  'M196 160 H250',
  'M196 160 C224 160 222 264 250 264',
  'M422 56 C450 56 448 108 476 108',
  'M422 160 C450 160 448 108 476 108',
  'M422 264 C450 264 448 108 476 108',
]

/** What a run looks like, before there is one. */
export function DemoPicture(): ReactNode {
  return (
    <div
      className="first-picture"
      role="img"
      aria-label="A board: nodes of work, their workers, and a message between two of them"
    >
      <div aria-hidden="true">
        <svg width="672" height="320" aria-hidden="true">
          {edges.map((path) => (
            <path key={path} d={path} />
          ))}
          <path className="mailed" d="M422 264 C450 264 450 160 422 160" />
          <circle className="halo" cx="443" cy="212" r="7" />
          <circle className="pulse" cx="443" cy="212" r="3.5" />
        </svg>
        {nodes.map(({ x, y, look, standing, title, sub, worker }) => (
          <span key={title} className={`node ${look}`} style={{ left: x, top: y }}>
            <span className="t">
              <Glyph standing={standing} />
              <span>{title}</span>
            </span>
            <span className="sub">{sub}</span>
            <span className="f">
              <Avatar name={worker} small />
              {worker}
            </span>
          </span>
        ))}
        <span className="said" style={{ left: 476, top: 196 }}>
          <span className="h">
            cyd <Icon name="arrow" small /> ada
          </span>
          How large did yours get?
        </span>
      </div>
    </div>
  )
}
