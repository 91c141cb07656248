import type { ReactNode } from 'react'
import { useState } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { clockSeconds } from '../../parts/figures.tsx'
import { Button } from '../../parts/small.tsx'
import { happened } from './happened.ts'
import { type BoardView, memberOf } from './view.ts'

const SHOWN = 100

/** What happened at a node, newest first. */
export function NodeLog({ view, node, events }: { view: BoardView; node: Node; events: readonly Event[] }): ReactNode {
  const [shown, setShown] = useState(SHOWN)
  const until = view.live ? '9' : new Date(view.now).toISOString()
  const lines = events
    .filter((event) => event.nodeId === node.id && event.at <= until)
    .flatMap((event) => happened(event, (id) => memberOf(view, id)) ?? [])
    .reverse()
  if (lines.length === 0) return <p className="sec soft">Nothing has happened at it yet.</p>
  return (
    <section className="sec">
      <h3 className="sec-h">
        Log<span className="right">newest first</span>
      </h3>
      <ol className="lines">
        {lines.slice(0, shown).map(({ seq, at, text, aside, tone }) => (
          <li key={seq}>
            <time className="num">{clockSeconds(at)}</time>
            <span className={`cut ${tone ?? ''}`} title={text}>
              {text}
            </span>
            <span className="r">{aside}</span>
          </li>
        ))}
      </ol>
      {lines.length > shown && (
        <Button small look="ghost" onClick={() => setShown(shown + SHOWN)}>
          {lines.length - shown} older
        </Button>
      )}
    </section>
  )
}
