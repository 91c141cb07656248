import type { ReactNode } from 'react'
import { clockSeconds, clockWhole, money } from '../../parts/figures.tsx'

/** When, what, and how long it took or what it cost. */
export function Line({
  at,
  mark,
  end,
  children,
}: {
  at: string
  mark: ReactNode
  end?: ReactNode
  children: ReactNode
}) {
  return (
    <div className="act">
      <time dateTime={at} title={clockWhole(at)}>
        {clockSeconds(at)}
      </time>
      {mark}
      <div className="act-what">{children}</div>
      <span className="ms">{end}</span>
    </div>
  )
}

export const costOf = (usd: number | undefined): string => (usd === undefined ? '' : money(usd))
