import type { ReactNode } from 'react'
import { clock } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { pauseAll, setPresence, usePresence } from '../../state/presence.ts'
import { standings } from '../../state/standing.ts'

const available = { ...standings.idle, word: 'available' }
const away = { ...standings.paused, word: 'away' }

/** Whether the person is there, and whether everything stands still. */
export function PresenceButtons(): ReactNode {
  const { value } = usePresence()
  if (value === undefined) return null
  const { status, until, pausedSince } = value
  const isAway = status === 'away'
  return (
    <>
      <Button
        look="ghost"
        className="home-presence"
        aria-pressed={isAway}
        title={isAway ? 'Say that you are back' : 'Say that you are away: questions go where your settings send them'}
        onClick={() => void attempt(() => setPresence({ status: isAway ? 'available' : 'away' }))}
      >
        <Glyph standing={isAway ? away : available} />
        {isAway ? `Away${until ? ` until ${clock(until)}` : ''}` : 'Available'}
      </Button>
      {pausedSince === undefined && (
        <Button
          look="ghost"
          className="home-pause"
          icon="pause"
          title="What runs stops at its next safe point, and nothing is begun"
          onClick={() => void attempt(pauseAll)}
        >
          Pause all
        </Button>
      )}
    </>
  )
}
