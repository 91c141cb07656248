import type { ReactNode } from 'react'
import { useConnection } from '../live/connection.ts'
import { clock, Took } from '../parts/figures.tsx'
import { Icon } from '../parts/icon.tsx'
import { attempt, Button } from '../parts/small.tsx'
import { resumeAll, usePresence } from '../state/presence.ts'

/** What holds up all that is shown, whatever is looked at. */
export function Banners(): ReactNode {
  return (
    <>
      <ServerLost />
      <Standstill />
    </>
  )
}

/** While everything is paused, nothing that the person asks for begins. */
function Standstill(): ReactNode {
  const since = usePresence().value?.pausedSince
  if (since === undefined) return null
  return (
    <div className="banner" role="status">
      <Icon name="pause" small />
      <span>Everything is paused since {clock(since)}: nothing begins or goes on until you let it.</span>
      <span className="right">
        <Button small icon="play" onClick={() => void attempt(resumeAll)}>
          Resume all
        </Button>
      </span>
    </div>
  )
}

/** While the server is away: what is shown may be old, and catches up by itself. */
function ServerLost(): ReactNode {
  const { state, since } = useConnection()
  if (state !== 'lost') return null
  return (
    <div className="banner" role="status">
      <Icon name="warn" small />
      <span>
        The server does not answer. What you see is from before; it goes on by itself when the server is back. If it was
        stopped, start it with <code>troupe up</code>.
      </span>
      <span className="right">
        <Took since={new Date(since).toISOString()} />
      </span>
    </div>
  )
}
