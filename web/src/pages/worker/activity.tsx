import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Writing } from '../../../../src/client/writing.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { Took } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { Button, Empty } from '../../parts/small.tsx'
import { actsOf } from '../../state/activity.ts'
import { type Log, writingSince } from '../../state/log.ts'
import { standings } from '../../state/standing.ts'
import { ActLine } from './act-line.tsx'
import { Line } from './line.tsx'

/** So many steps are drawn; a click shows as many more. */
const STEP = 200
const NEAR = 48

/** What the worker did, with times; what it does now is below. */
export function Activity({ log, nodes, older }: { log: Log; nodes: readonly Node[]; older: () => void }): ReactNode {
  const acts = useMemo(() => actsOf(log, nodes), [log, nodes])
  const [shown, setShown] = useState(STEP)
  const box = useBottom(acts.at(-1)?.key ?? '')
  const more = acts.length > shown || log.more
  if (acts.length === 0) return <Empty title="It has done nothing yet." />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className="stream acts" ref={box} tabIndex={0} role="log" aria-label="Activity">
      <div className="acts-all">
        {more && (
          <Button
            small
            look="ghost"
            onClick={() => {
              setShown(shown + STEP)
              if (acts.length <= shown + STEP) older()
            }}
          >
            Earlier
          </Button>
        )}
        {acts.slice(-shown).map((act) => (
          <ActLine key={act.key} act={act} />
        ))}
        {log.writing && <Now writing={log.writing} since={writingSince(log)} />}
      </div>
    </div>
  )
}

function Now({ writing: { text, reasoning }, since }: { writing: Writing; since: string }): ReactNode {
  return (
    <Line at={since} mark={<Glyph standing={standings.working} />} end={<Took since={since} />}>
      {text.text ? 'writes: ' : 'thinks: '}
      <span className="soft">{(text.text || reasoning.text).slice(-400)}</span>
    </Line>
  )
}

/** Stays at the bottom unless the person has scrolled up. */
function useBottom(last: string) {
  const box = useRef<HTMLDivElement>(null)
  const near = useRef(true)
  useEffect(() => {
    const shown = box.current
    const look = () => {
      if (shown) near.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < NEAR
    }
    shown?.addEventListener('scroll', look)
    return () => shown?.removeEventListener('scroll', look)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last step is what moves it
  useLayoutEffect(() => {
    if (near.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [last])
  return box
}
