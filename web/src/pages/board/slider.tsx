import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import { clock, clockSeconds } from '../../parts/figures.tsx'
import { Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { SliderTrack } from './slider-track.tsx'
import { countAt, timelineOf } from './timeline.ts'

const PLAYS_MS = 20_000

/** The time of a run: every moment of it can be looked at again. `count`: how many events have happened; undefined is live. */
export function Slider({
  events,
  cut,
  over,
  count,
  setCount,
}: {
  events: readonly Event[]
  cut: boolean
  over: boolean
  count: number | undefined
  setCount: (count: number | undefined) => void
}): ReactNode {
  const timeline = useMemo(() => timelineOf(events), [events])
  const [playing, setPlaying] = useState(false)
  const track = useRef<HTMLDivElement>(null)
  const live = count === undefined
  const shown = Math.min(count ?? events.length, events.length)
  const goTo = (next: number) => setCount(next >= events.length ? undefined : Math.max(1, next))
  usePlay(playing, setPlaying, live ? 1 : (timeline.at[shown - 1] ?? 0), (place) => goTo(countAt(timeline, place)))
  const toLive = () => {
    setPlaying(false)
    setCount(undefined)
  }
  useKeys({ l: toLive })

  const drag = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect()
    if (box === undefined || (event.type === 'pointermove' && event.buttons === 0)) return
    setPlaying(false)
    if (event.type === 'pointerdown') track.current?.setPointerCapture(event.pointerId)
    goTo(countAt(timeline, Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))))
  }
  const onKey = (event: KeyboardEvent) => {
    const next = stepped(event.key, shown, events, timeline.marks)
    if (next === undefined) return
    event.preventDefault()
    setPlaying(false)
    goTo(next)
  }
  const moment = events[shown - 1]
  const time = moment ? clockSeconds(moment.at) : ''
  return (
    <section className="time" aria-label="Time">
      <Button
        icon={playing ? 'pause' : 'play'}
        aria-label={playing ? 'Stop playing' : 'Play the run'}
        onClick={() => {
          if (!playing && live) setCount(1)
          setPlaying(!playing)
        }}
      />
      <div className="track" ref={track} onPointerDown={drag} onPointerMove={drag}>
        <SliderTrack timeline={timeline} events={events} place={live ? 1 : (timeline.at[shown - 1] ?? 0)} over={over} />
        <div
          className="knob"
          role="slider"
          tabIndex={0}
          aria-label="Moment of the run"
          aria-valuemin={1}
          aria-valuemax={Math.max(1, events.length)}
          aria-valuenow={Math.max(1, shown)}
          aria-valuetext={live ? (over ? 'the end' : 'now') : `${time}, event ${shown} of ${events.length}`}
          style={{ left: `${100 * (live ? 1 : (timeline.at[shown - 1] ?? 0))}%` }}
          onKeyDown={onKey}
        />
      </div>
      <div className="when num">
        {live ? (
          <span className={`state ${over ? 'rest' : 'good'}`}>
            {!over && <i className="live-ring" />}
            {over ? `ended ${moment ? clock(moment.at) : ''}` : 'Live'}
          </span>
        ) : (
          <Button small onClick={toLive} keys="l">
            {over ? 'To the end' : 'Live'}
          </Button>
        )}
        <div className="tiny mute">
          {live ? '' : `${time} · `}event {shown.toLocaleString('en')}
          {cut && ' (the first ones)'}
        </div>
      </div>
    </section>
  )
}

const BIG_STEP = 20

/** Along what changed the board; with the large keys from stage to question to stage. */
function stepped(
  key: string,
  shown: number,
  events: readonly Event[],
  marks: readonly { readonly count: number }[],
): number | undefined {
  const seen = (event: Event | undefined) => event !== undefined && /^(node|stage|worker|run|inbox)\./.test(event.type)
  if (key === 'Home') return 1
  if (key === 'End') return events.length
  if (key === 'PageDown')
    return marks.find(({ count }) => count > shown)?.count ?? Math.min(events.length, shown + BIG_STEP)
  if (key === 'PageUp') return marks.findLast(({ count }) => count < shown)?.count ?? Math.max(1, shown - BIG_STEP)
  if (key === 'ArrowRight' || key === 'ArrowUp') {
    const next = events.findIndex((event, at) => at >= shown && seen(event))
    return next < 0 ? events.length : next + 1
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowDown') return undefined
  return events.findLastIndex((event, at) => at < shown - 1 && seen(event)) + 1
}

/** Moves on by itself until the end. */
function usePlay(
  playing: boolean,
  setPlaying: (playing: boolean) => void,
  place: number,
  goTo: (place: number) => void,
): void {
  const latest = useRef({ place, goTo })
  latest.current.goTo = goTo
  if (!playing) latest.current.place = place
  useEffect(() => {
    if (!playing) return
    const at = latest.current.place >= 1 ? 0 : latest.current.place
    const start = performance.now() - at * PLAYS_MS
    let frame = 0
    const step = (now: number) => {
      const next = (now - start) / PLAYS_MS
      latest.current.goTo(Math.min(1, next))
      if (next >= 1) setPlaying(false)
      else frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [playing, setPlaying])
}
