import type { ReactNode } from 'react'
import { useConnection } from '../live/connection.ts'
import { Took } from '../parts/figures.tsx'
import { Icon } from '../parts/icon.tsx'

/** While the server is away: what is shown may be old, and catches up by itself. */
export function Banner(): ReactNode {
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
