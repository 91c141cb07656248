import type { ReactNode } from 'react'
import { useConnection } from '../live/connection.ts'
import { clock, Took } from '../parts/figures.tsx'
import { Icon } from '../parts/icon.tsx'
import { attempt, Button } from '../parts/small.tsx'
import { resumeAll, usePresence } from '../state/presence.ts'

/** What holds for every view: the server is away, or all that it does stands still. */
export function Banner(): ReactNode {
  const { state, since } = useConnection()
  const pausedSince = usePresence().value?.pausedSince
  if (state === 'lost') return <Away since={since} />
  if (pausedSince === undefined) return null
  return (
    <div className="banner" role="status">
      <Icon name="pause" small />
      <span className="grow">
        Everything is paused since {clock(pausedSince)}: what you write and start is kept, and begins when it goes on.
      </span>
      <Button small icon="play" onClick={() => void attempt(resumeAll)}>
        Resume all
      </Button>
    </div>
  )
}

/** What is shown may be old, and catches up by itself. */
const Away = ({ since }: { since: number }): ReactNode => (
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
