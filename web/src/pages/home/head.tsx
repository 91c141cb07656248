import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Kbd } from '../../parts/small.tsx'

/** The name of a part of the home view, and where all of it is. */
export function Head({
  title,
  count,
  tone,
  to,
  more,
  keys = [],
}: {
  title: string
  count?: number
  tone?: 'ask' | 'new'
  to?: string
  more?: string
  keys?: readonly string[]
}): ReactNode {
  return (
    <div className="home-head">
      <h2>{title}</h2>
      {count !== undefined && count > 0 && <span className={`count ${tone ?? ''}`}>{count}</span>}
      {to && (
        <span className="right">
          <Link className="link" to={to}>
            {more}
          </Link>
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      )}
    </div>
  )
}
