import type { ReactNode } from 'react'
import { Button } from '../parts/small.tsx'
import { Back } from './back.tsx'
import { useShell } from './shell-state.ts'

/** The frame of a view: its header, a second row where it has tabs, and the middle, which alone scrolls. */
export function Page({
  title,
  crumbs,
  aside,
  tabs,
  foot,
  className = '',
  children,
}: {
  title: ReactNode
  crumbs?: ReactNode
  /** At the right end of the header: what can be done here. */
  aside?: ReactNode
  tabs?: ReactNode
  /** Below the middle, which scrolls without it. */
  foot?: ReactNode
  className?: string
  children: ReactNode
}): ReactNode {
  const { sidebar, showSidebar } = useShell()
  return (
    <main className="main">
      <header className="bar">
        {!sidebar && (
          <Button
            look="ghost"
            icon="panel"
            aria-label="Show the sidebar"
            className="side-back"
            onClick={() => showSidebar(true)}
          />
        )}
        <Back />
        {crumbs}
        <h1 className="cut">{title}</h1>
        <span className="right" />
        {aside}
      </header>
      {tabs && <div className="tabs">{tabs}</div>}
      <div className={`page ${className}`}>{children}</div>
      {foot}
    </main>
  )
}
