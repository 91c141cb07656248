import { memo, type ReactNode } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import { now } from '../../live/clock.ts'
import { clock } from '../../parts/figures.tsx'
import type { Mark, Timeline } from './timeline.ts'

const HEIGHT = 24
/** Names that would stand closer than this leave one of them out. */
const APART = 0.2

/** How much happened when, and the marks of stages and questions. */
export function SliderTrack({
  timeline,
  events,
  place,
  over,
}: {
  timeline: Timeline
  events: readonly Event[]
  place: number
  over: boolean
}): ReactNode {
  return (
    <>
      <Bars bars={timeline.bars} />
      <div className="rail">
        <i style={{ width: `${100 * place}%` }} />
      </div>
      {timeline.marks.map((mark) => (
        <MarkShape key={`${mark.kind} ${mark.count}`} mark={mark} />
      ))}
      {named(timeline.marks, events[0]?.at).map(({ at, label }) => (
        <span key={label + at} className="tk" style={{ left: `${100 * at}%` }}>
          {label}
        </span>
      ))}
      <span className="tk end">{over ? clock(events.at(-1)?.at ?? new Date(now()).toISOString()) : 'now'}</span>
    </>
  )
}

const Bars = memo(function Bars({ bars }: { bars: readonly number[] }): ReactNode {
  return (
    <svg className="bars" preserveAspectRatio="none" viewBox={`0 0 ${bars.length} ${HEIGHT}`} aria-hidden="true">
      {bars.map((bar, at) => (
        <rect key={at} x={at} width={0.6} y={HEIGHT - bar * HEIGHT} height={bar * HEIGHT} />
      ))}
    </svg>
  )
})

function MarkShape({ mark: { kind, place, label } }: { mark: Mark }): ReactNode {
  const what = kind === 'stage' ? `the stage ${label} started` : `question to you: ${label}`
  return (
    <svg className="ev" style={{ left: `${100 * place}%` }} viewBox="0 0 12 12" role="img" aria-label={what}>
      <title>{what}</title>
      {kind === 'stage' ? <circle cx="6" cy="6" r="3" /> : <path d="M6 1 11 6l-5 5-5-5z" />}
    </svg>
  )
}

function named(marks: readonly Mark[], start: string | undefined): readonly { at: number; label: string }[] {
  const all = [
    ...(start ? [{ at: 0, label: clock(start) }] : []),
    ...marks
      .filter(({ kind }) => kind === 'stage')
      .map(({ place, time, label }) => {
        return { at: place, label: `${clock(time)} ${label}` }
      }),
  ]
  const kept: { at: number; label: string }[] = []
  for (const one of all) {
    const before = kept.at(-1)
    if (before && one.at - before.at < APART && before.at === 0 && kept.length === 1) kept.pop()
    if (one.at < 1 - APART / 2 && (kept.length === 0 || one.at - kept.at(-1)!.at >= APART)) kept.push(one)
  }
  return kept
}
